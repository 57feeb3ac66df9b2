"""Sample files for other programs (except nginx), each checked by its program."""

import gzip
import logging
import subprocess
from pathlib import Path

import pytest

from finance_api.runtime.logs import JsonFormatter
from support.browser import new_user
from support.programs import missing
from support.service import Service

DEPLOY = Path(__file__).parents[2] / "deploy"
CLIENT = "2001:db8::7"
TEXT = "%(asctime)s %(levelname)s %(name)s %(request_id)s %(message)s"


def run(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        missing(command[0])


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """The same requests in both formats: four that fail, three that do not."""
    directory = tmp_path_factory.mktemp("logs")
    service = Service("memory", {"finance_api.storage": "memory"})
    logger = logging.getLogger("finance_api.access")
    handlers = []
    for name, formatter in (("text", logging.Formatter(TEXT)), ("json", JsonFormatter())):
        handlers.append(logging.FileHandler(directory / name))
        handlers[-1].setFormatter(formatter)
        logger.addHandler(handlers[-1])
    level = logger.level
    logger.setLevel(logging.INFO)
    service.web.extra_environ["REMOTE_ADDR"] = CLIENT
    client = service.client()
    client.get("records")
    service.web.get("/v1/api/records", status=401)
    client.token = "wrong"
    client.get("records")
    service.web.get("/q/finq_" + "x" * 32 + ".csv", status=404)
    visitor = new_user(service)
    form = service.web.get("/settings/login").form
    form["email"], form["password"] = visitor.email, "wrong"
    form.submit(status=403)
    forged = f"x INFO finance_api.access {'0' * 32} 203.0.113.9 GET /v1/api/records 401 1.0ms -"
    service.web.get("/" + forged.replace(" ", "%20"), status=404)
    for handler in handlers:
        logger.removeHandler(handler)
        handler.close()
    logger.setLevel(level)
    service.stop()
    return directory


def test_fail2ban_finds_what_failed_and_nothing_else(logs, tmp_path):
    """Tests lines in a file and in the journal."""
    lines = [line for f in ("text", "json") for line in (logs / f).read_text().splitlines(True)]
    assert len(lines) == 14
    journal = [f"2026-03-18T12:00:00.000000 host pserve[4711]: {line}" for line in lines]
    file = tmp_path / "log"
    file.write_text("".join(lines + journal))
    done = run("fail2ban-regex", "--out", "ip", str(file), str(DEPLOY / "fail2ban/filter.conf"))
    assert done.stdout.split() == [CLIENT] * 16, done


def test_logrotate_takes_what_is_there_and_the_service_writes_on(tmp_path):
    file = tmp_path / "6543.log"
    text = (DEPLOY / "logrotate.conf").read_text().replace("/var/log/finance-api", str(tmp_path))
    sample = tmp_path / "sample"
    sample.write_text(text)
    sample.chmod(0o644)
    with file.open("a") as log:
        for number in range(3):
            print(f"line {number}", file=log, flush=True)
            done = run("logrotate", "--force", "--state", str(tmp_path / "state"), str(sample))
            assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert file.read_text() == ""
    assert (tmp_path / "6543.log.1").read_text() == "line 2\n"
    assert gzip.decompress((tmp_path / "6543.log.2.gz").read_bytes()) == b"line 1\n"


def test_caddy_understands_its_file():
    done = run("caddy", "validate", "--adapter", "caddyfile", "--config", str(DEPLOY / "Caddyfile"))
    assert done.returncode == 0, done.stderr
