"""Traces by OpenTelemetry: a span for each request, if it is switched on."""

import subprocess
import sys

import pytest

from finance_api import http, main
from finance_api.runtime.settings import SettingError
from finance_api.storage.memory.data import MemoryData
from support.service import Service

SETTINGS = {"finance_api.storage": "memory", "finance_api.traces": "true"}


@pytest.fixture(scope="module")
def exporter():
    pytest.importorskip("opentelemetry.sdk")
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    return exporter


def test_each_request_is_a_span_without_a_secret(exporter, monkeypatch):
    service = Service("memory", SETTINGS)
    client = service.client()
    trace_id, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
    answers = [
        client.get("labels", headers={"traceparent": f"00-{trace_id}-{parent}-01"}),
        client.get("labels", limit=0),
        client.get("labels", headers={"Authorization": "Bearer secret"}),
        client.get("nothing/of/the/kind"),
    ]
    with monkeypatch.context() as patch:
        patch.setattr(MemoryData, "list_rows", lambda *arguments: {}["planted text"])
        answers.append(client.get("accounts", payee="x"))
        answers.append(client.get("accounts"))
    service.stop()
    spans = exporter.get_finished_spans()
    assert [(span.name, span.attributes["http.response.status_code"]) for span in spans] == [
        ("GET /v1/api/labels", 200),
        ("GET /v1/api/labels", 400),
        ("GET /v1/api/labels", 401),
        ("GET -", 404),
        ("GET /v1/api/accounts", 400),
        ("GET /v1/api/accounts", 500),
    ]
    ids = [answer.headers["X-Request-Id"] for answer in answers]
    assert [span.attributes["finance_api.request_id"] for span in spans] == ids
    assert [span.status.is_ok for span in spans] == [True] * 5 + [False]
    first = spans[0]
    assert (first.context.trace_id, first.parent.span_id) == (int(trace_id, 16), int(parent, 16))
    told = "".join(span.to_json() for span in spans)
    for secret in (client.token, client.user.email, "secret", "limit", "planted text"):
        assert secret not in told


def test_without_the_setting_nothing_of_it_is_imported():
    program = (
        "import sys; from finance_api import main; "
        "app = main({}, **{'finance_api.storage': 'memory'}); app.registry.services.close(); "
        "sys.exit(any(name.startswith('opentelemetry') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", program]).returncode == 0


def test_without_the_extra_the_setting_says_what_to_install(monkeypatch):
    monkeypatch.delitem(sys.modules, "finance_api.http.tracing", raising=False)
    monkeypatch.delattr(http, "tracing", raising=False)
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(
        SettingError, match="opentelemetry; install finance-api with its extra otel"
    ):
        main({}, **SETTINGS)
