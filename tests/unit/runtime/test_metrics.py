"""Metrics: sums over several processes, and agreement with the docs and deploy/."""

import json
import os
import re
import subprocess
import sys

import pytest

from finance_api.runtime.metrics import TOTALS, Metrics
from support.pages import PROJECT, page, rows_of, spans
from support.programs import as_child

_COUNT = """
import os
from finance_api.runtime.metrics import TOTALS, Metrics
metrics = Metrics()
for _ in range(3):
    metrics.requests("/v1/api/labels", 200).observe(0.004)
metrics.set_state({"read": (2, 5)}, 1000, {"database": True})
"""
_SHOW = """
for _ in range(2):
    text = metrics.text({'database_up': 1, 'users': 7, 'projection_version': None}).decode()
print(text)
"""


def run(directory, program):
    """Run a program, and return its standard output."""
    environment = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(directory)}
    done = subprocess.run(
        as_child([sys.executable, "-c", program]), env=environment, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    return [line for line in done.stdout.splitlines() if line and line[0] != "#"]


def test_what_ended_processes_counted_stays_and_what_they_were_does_not(tmp_path):
    run(tmp_path, _COUNT + "os._exit(0)")
    run(tmp_path, _COUNT + "metrics.close()")
    shown = run(tmp_path, _COUNT + _SHOW)
    labels = 'route="/v1/api/labels",status="200"'
    for line in (
        f"finance_api_request_seconds_count{{{labels}}} 9.0",
        f'finance_api_request_seconds_bucket{{le="0.0025",{labels}}} 0.0',
        f'finance_api_request_seconds_bucket{{le="0.005",{labels}}} 9.0',
        'finance_api_database_connections{pool="read",state="used"} 2.0',
        'finance_api_database_connections{pool="read",state="free"} 5.0',
        "finance_api_cache_bytes 1000.0",
        'finance_api_breaker_open{service="database"} 1.0',
        "finance_api_database_up 1.0",
        "finance_api_users 7.0",
    ):
        assert line in shown, shown
    assert len([line for line in shown if line.startswith("finance_api_users")]) == 1
    assert not any(line.startswith("finance_api_projection_version") for line in shown)
    assert len(list(tmp_path.glob("*.pid"))) == 1


_SUFFIXES = {"histogram": ("_bucket", "_sum", "_count"), "summary": ("_sum", "_count")}


def families():
    """Return the kinds of the metrics by name."""
    text = Metrics().text(dict.fromkeys(TOTALS, 1)).decode()
    return dict(re.findall(r"(?m)^# TYPE (\S+) (\S+)$", text))


@pytest.mark.parametrize("file", ["prometheus-rules.yml", "grafana-dashboard.json"])
def test_rules_and_dashboard_ask_for_metrics_that_there_are(file):
    text = (PROJECT / "deploy" / file).read_text()
    asked = set(re.findall(r"finance_api_\w+", text))
    there = {name + end for name, kind in families().items() for end in _SUFFIXES.get(kind, ("",))}
    assert asked
    assert asked - there == set()


def test_the_dashboard_is_json_with_a_place_of_its_own_for_each_panel():
    dashboard = json.loads((PROJECT / "deploy" / "grafana-dashboard.json").read_text())
    places = [(p["gridPos"]["x"], p["gridPos"]["y"]) for p in dashboard["panels"]]
    assert len(set(places)) == len(places) == len({p["id"] for p in dashboard["panels"]}) > 5


def test_the_runbook_says_what_to_do_at_every_alert():
    alerts = re.findall(r"alert: (\w+)", (PROJECT / "deploy" / "prometheus-rules.yml").read_text())
    documented = [span for row in rows_of(page("runbook.md"), "Alert") for span in spans(row[0])]
    assert documented == alerts
