"""finance-api serve, as a process"""

import http.client
import json
import re
import shlex
import signal
import socket
import stat
import time
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest

from finance_api.cli.context import CliContext
from finance_api.cli.demo import prepare_demo
from support.command import Command
from support.programs import free_port

ROOT = Path(__file__).parents[2]


@pytest.fixture
def place(tmp_path):
    """A folder with the ini file for development."""
    command = Command(tmp_path, {})
    command.ini = tmp_path / "development.ini"
    command.ini.write_text((ROOT / "development.ini").read_text())
    return command


class Served:
    """The process, its port, and what it said until it served."""

    def __init__(self, process, port, log):
        self.process, self.port, self._log = process, port, log

    @property
    def said(self):
        return self._log.read_text()

    def get(self, path, headers=None):
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)) as connection:
            connection.request("GET", path, headers=headers or {})
            response = connection.getresponse()
            return response.status, response.read()

    def wait(self):
        deadline = time.monotonic() + 60
        while True:
            assert self.process.poll() is None and time.monotonic() < deadline, self.said
            try:
                assert self.get("/__lbheartbeat__")[0] == 200
                return self
            except OSError:
                time.sleep(0.02)


@contextmanager
def serving(place, *options, environment=None):
    port = free_port()
    log = place.directory / f"{port}.log"
    arguments = ("serve", "--port", str(port), *options)
    with open(log, "wb") as stream:
        streams = {"stdout": stream, "stderr": stream}
        process = place.start(*arguments, environment=environment, **streams)
    try:
        yield Served(process, port, log).wait()
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def token_of(place):
    return (place.directory / "var" / "demo-token").read_text().strip()


def follow_curl_line(served):
    """The status and body of the request that the printed line makes."""
    (line,) = re.findall(r"^  Try the API: +(curl .*)$", served.said, re.MULTILINE)
    assert len(line) < 150
    curl, option, header, url = shlex.split(line)
    assert (curl, option) == ("curl", "-H")
    parts = urlsplit(url)
    assert parts.netloc == f"127.0.0.1:{served.port}"
    name, value = header.split(": ")
    return served.get(f"{parts.path}?{parts.query}", {name: value})


def test_demo_is_ready_in_one_process_and_says_how_to_use_it(place):
    with serving(place, "--demo") as served:
        status, body = follow_curl_line(served)
        assert (status, len(json.loads(body)["records"])) == (200, 3)
        assert f"  Pages:           http://127.0.0.1:{served.port}/overview\n" in served.said
        assert "  Demo login:      demo@example.com, password demo-password\n" in served.said
        assert psutil.Process(served.process.pid).children() == []
    modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in (place.directory / "var").iterdir()}
    assert modes["demo-token"] == modes["jwt-keys.json"] == 0o600
    assert stat.S_IMODE((place.directory / "var").stat().st_mode) == 0o700
    assert place.done("jwt", "issue", "demo@example.com").count(b".") == 2


@pytest.fixture
def prepare(place, monkeypatch):
    """Does what a start with demo data does before the server; the token that it leaves."""
    monkeypatch.chdir(place.directory)

    def prepare():
        with closing(CliContext()) as cli:
            prepare_demo(cli, "127.0.0.1", free_port())
        return token_of(place)

    return prepare


def test_demo_token_stays_until_it_no_longer_works(place, prepare, capsys):
    first = prepare()
    keys = (place.directory / "var" / "jwt-keys.json").read_bytes()
    assert prepare() == first
    assert "demo@example.com has data already" in capsys.readouterr().out
    assert (place.directory / "var" / "jwt-keys.json").read_bytes() == keys
    place.done("token", "revoke", "--value", first)
    (place.directory / "var" / "demo-token").chmod(0o644)
    second = prepare()
    assert second != first
    assert f"Bearer {second}'" in capsys.readouterr().out
    assert stat.S_IMODE((place.directory / "var" / "demo-token").stat().st_mode) == 0o600
    assert place.done("token", "list", "demo@example.com").count(b"\n") == 3


@pytest.mark.parametrize("held", ["", "nonsense", "fin_" + "A" * 49])
def test_file_that_holds_no_token_is_replaced(place, prepare, held):
    (place.directory / "var").mkdir()
    (place.directory / "var" / "demo-token").write_text(held + "\n")
    token = prepare()
    assert token != held
    listed = place.done("token", "list", "demo@example.com").decode()
    assert listed.count("\n") == 2
    assert token[:8] in listed


def test_demo_needs_no_ini_file_and_leaves_that_of_the_environment_alone(tmp_path):
    """As in a container, whose environment names the ini file for production."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    place = Command(elsewhere, {"sqlalchemy.url": f"sqlite:///{tmp_path}/production.db"})
    place.directory = tmp_path / "empty"
    place.directory.mkdir()
    variables = {"FINANCE_API_SERVER_HOST": "0.0.0.0"}
    with serving(place, "--demo", environment=variables) as served:
        assert "created finance-api.ini\n" in served.said
        assert follow_curl_line(served)[0] == 200
        (listening,) = [
            each.laddr.ip
            for each in psutil.Process(served.process.pid).net_connections("inet")
            if each.status == psutil.CONN_LISTEN
        ]
        assert listening == "0.0.0.0"
    assert sorted(p.name for p in place.directory.iterdir() if p.suffix != ".log") == [
        "finance-api.ini",
        "var",
    ]
    assert not (tmp_path / "production.db").exists()
    # The next start finds what the first one made.
    with serving(place, "--demo") as served:
        assert "created" not in served.said and "has data already" in served.said


def test_port_in_use_is_said_before_anything_is_made(place):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        said = place.refused("serve", "--demo", "--port", str(port), process=True)
    assert f"cannot listen on 127.0.0.1:{port}" in said
    assert "--port" in said
    assert not (place.directory / "var").exists()


def test_service_without_demo_data_answers_and_makes_nothing(place):
    assert "db upgrade" in place.run("serve", process=True).err
    place.done("db", "upgrade")
    with serving(place) as served:
        assert served.get("/v1/api/records")[0] == 401
        assert " finance_api.access " in served.said
        assert "Demo" not in served.said
    assert place.done("user", "list").count(b"\n") == 1
    assert served.process.returncode == 0


@pytest.mark.parametrize("text", [None, "[app:main]\nuse = egg:finance-api\n"])
def test_ini_file_without_a_server_is_refused_with_its_name(place, text):
    place.ini.unlink()
    if text is not None:
        place.ini.write_text(text)
    assert "development.ini" in place.refused("serve", process=True)


def test_an_address_that_cannot_be_had_is_a_sentence(place):
    place.done("db", "upgrade")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        process = place.start("serve", "--port", str(port))
        said = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 1
    last = said.splitlines()[-1]
    assert f"server.port: cannot listen on 127.0.0.1:{port}: Address already in use" in last


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("threads = many", "server.threads: 'many' is not a whole number"),
        ("backlog = many", "[server:main]: invalid literal for int() with base 10: 'many'"),
        ("host = nowhere.invalid", "[server:main]: Invalid host/port specified."),
    ],
)
def test_what_waitress_does_not_take_is_named(place, line, said):
    place.done("db", "upgrade")
    key = line.partition(" ")[0]
    others = re.sub(f"^(get )?{key} = .*\n", "", place.ini.read_text(), flags=re.MULTILINE)
    place.ini.write_text(others.replace("[server:main]\n", f"[server:main]\n{line}\n"))
    assert place.refused("serve", process=True).splitlines()[-1] == f"finance-api: {said}"
