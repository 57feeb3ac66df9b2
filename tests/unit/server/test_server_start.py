"""The settings of the section, and how the server starts or does not."""

import re
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest

from finance_api.server.hooks import shutdown_hooks
from finance_api.server.settings import ServerSettings, StartError, read_settings


def test_the_defaults_are_those_of_an_empty_section():
    settings = read_settings({}, {})
    assert settings == ServerSettings()
    assert (settings.host, settings.port, settings.threads) == ("127.0.0.1", 6543, 4)


def test_host_and_port_of_the_command_line_win():
    chosen = read_settings({"http_port": "7000", "http_host": "::1"}, {"port": "1", "host": "a"})
    assert (chosen.host, chosen.port) == ("::1", 7000)


def test_an_empty_port_of_the_command_line_is_not_given():
    assert read_settings({"http_port": ""}, {"port": "1"}).port == 1


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("port", "abc"),
        ("port", ""),
        ("port", "-1"),
        ("port", "65536"),
        ("port", "1_0"),
        ("port", "80.0"),
        ("host", ""),
        ("host", "a b"),
        ("threads", "0"),
        ("connection_limit", "1"),
        ("header_seconds", "nan"),
        ("body_seconds", "0"),
        ("drain_seconds", "soon"),
    ],
)
def test_a_malformed_value_stops_the_start_naming_key_and_value(key, value):
    with pytest.raises(StartError, match=f"^server setting {key}: {value!r} is not a") as caught:
        read_settings({}, {key: value})
    assert "\n" not in str(caught.value)


def test_an_unknown_key_stops_the_start_naming_it():
    with pytest.raises(StartError, match="ident: unknown"):
        read_settings({}, {"ident": "me"})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"http_port": "x"}, r"server setting http_port: 'x' is not a port number .+"),
        ({"host": "192.0.2.1", "port": "1"}, r"cannot listen on 192\.0\.2\.1:1: [a-z ]+"),
    ],
)
def test_a_start_that_fails_says_so_in_one_line(start_server, settings, message):
    failed = start_server(**settings)
    assert failed.exit_code() == 1
    first, rest = failed.errors().split("\n", 1)
    assert re.fullmatch(message, first)
    # The rest is the hook that fails in this application.
    assert rest.startswith("a shutdown hook failed")


def test_a_second_instance_leaves_the_first_one_alone(server, start_server):
    second = start_server(port=server.port)
    assert second.exit_code() == 1
    line = f"cannot listen on 127.0.0.1:{server.port}: address already in use"
    assert line in second.errors().splitlines()
    assert server.exchange(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")[0].status == 200


def test_the_address_is_said(server):
    assert server.first_line == f"Serving on http://127.0.0.1:{server.port}"


REPOSITORY = Path(__file__).parents[3]
INI = """
[app:main]
paste.app_factory = wsgi_under_pserve:make
[server:main]
paste.server_runner = finance_api.server:serve
port = 0
drain_seconds = {drain_seconds}
"""
MODULE = """
def make(global_conf, **settings):
    def app(environ, start_response):
        start_response("200 OK", [("Content-Length", "0")])
        return [b""]
    return app
"""


def pserve(tmp_path, *arguments, drain_seconds="5"):
    (tmp_path / "wsgi_under_pserve.py").write_text(MODULE)
    (tmp_path / "x.ini").write_text(INI.format(drain_seconds=drain_seconds))
    return subprocess.Popen(
        [
            *(sys.executable, "-W", "ignore", "-m", "pyramid.scripts.pserve"),
            *(str(tmp_path / "x.ini"), *arguments),
        ],
        env={"PYTHONPATH": f"{REPOSITORY}:{tmp_path}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_pserve_ends_with_success_after_a_signal(tmp_path):
    with pserve(tmp_path) as process:
        while not (line := process.stdout.readline()).startswith("Serving on http://127.0.0.1:"):
            assert line
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=15) == 0
        assert "Traceback" not in process.stderr.read()


def test_pserve_takes_the_port_and_passes_a_failure_on(tmp_path, server):
    with pserve(tmp_path, f"http_port={server.port}") as process:
        assert process.wait(timeout=15) == 1
        # Its own "Starting server in PID" comes first.
        line = f"cannot listen on 127.0.0.1:{server.port}: address already in use"
        assert process.stderr.read().splitlines()[1:] == [line]


def test_shutdown_hooks_are_found_below_middleware():
    router = SimpleNamespace(registry=SimpleNamespace(at_shutdown=[print]))
    assert shutdown_hooks(SimpleNamespace(app=SimpleNamespace(application=router))) == (print,)


def test_an_application_without_a_registry_has_no_hooks():
    loop = SimpleNamespace()
    loop.app = loop
    assert shutdown_hooks(loop) == ()
    assert shutdown_hooks(SimpleNamespace(registry=SimpleNamespace())) == ()


def test_waitress_is_the_one_whose_internals_were_read():
    assert version("waitress") == "3.0.2"
