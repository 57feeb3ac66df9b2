"""The settings that granian refuses to start with."""

import os

import pytest

from finance_api.server import wsgi
from finance_api.server.granian import serve
from support.service import Service


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {"workers": "2"},
            "server.workers: 2 need a finance_api.storage that they share, unlike memory",
        ),
        (
            {"threads": "3"},
            "finance_api.max_data_requests: 3, together with 2 of finance_api.max_downloads, are "
            "too many for the server's 3 threads: one",
        ),
        ({"host": "localhost"}, "server.host: 'localhost' is not an IP address"),
        ({"host": "192.0.2.1"}, "server.port: cannot listen on 192.0.2.1:"),
    ],
)
def test_what_the_server_refuses_is_one_line(monkeypatch, capsys, redis_url, settings, said):
    application = {
        "finance_api.storage": "memory",
        "finance_api.max_data_requests": "3",
        "finance_api.ratelimit.backend": "redis",
        "finance_api.ratelimit.redis_url": redis_url,
    }
    service = Service("memory", application)
    ended = []
    monkeypatch.setattr(wsgi, "applications", [service.app])
    monkeypatch.setattr(os, "_exit", ended.append)
    serve(service.app, {}, **settings)
    service.stop()
    assert ended == [1]
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"finance-api: {said}")
