"""finance-api serve"""

import os
import re
import shlex
import signal
import socket
import stat
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import waitress
from waitress.adjustments import Adjustments
from webtest import TestApp

from finance_api.cli.context import CliContext
from finance_api.cli.demo import prepare_demo
from finance_api.server import wsgi
from support.command import Command
from support.ledger import ofx_file, ofx_statement
from support.programs import free_port

ROOT = Path(__file__).parents[2]


@pytest.fixture
def place(tmp_path):
    """A folder with the ini file for development. Servers may start in this process."""
    command = Command(tmp_path, {})
    command.ini = tmp_path / "development.ini"
    command.ini.write_text((ROOT / "development.ini").read_text())
    before = signal.getsignal(signal.SIGTERM)
    yield command
    wsgi.close_applications()
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def served(monkeypatch):
    """Replaces waitress; collects the application and the settings that it would serve with."""
    found = []
    monkeypatch.setattr(
        waitress, "serve_paste", lambda app, _, **settings: found.append((TestApp(app), settings))
    )
    return found


def token_of(place):
    return (place.directory / "var" / "demo-token").read_text().strip()


def request_of(said, port):
    """Return the path and headers of the request that the printed line makes."""
    (line,) = re.findall(r"^  Try the API: +(curl .*)$", said, re.MULTILINE)
    assert len(line) < 150
    curl, option, header, url = shlex.split(line)
    assert (curl, option) == ("curl", "-H")
    parts = urlsplit(url)
    assert parts.netloc == f"127.0.0.1:{port}"
    return f"{parts.path}?{parts.query}", dict([header.split(": ")])


def test_demo_is_ready_and_says_how_to_use_it(place, served):
    port = free_port()
    said = place.done("serve", "--demo", "--port", str(port)).decode()
    ((app, _),) = served
    path, headers = request_of(said, port)
    assert len(app.get(path, headers=headers).json["records"]) == 3
    assert f"  Pages:           http://127.0.0.1:{port}/overview\n" in said
    assert "  Demo login:      demo@example.com, password demo-password\n" in said
    modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in (place.directory / "var").iterdir()}
    assert modes["demo-token"] == modes["jwt-keys.json"] == 0o600
    assert stat.S_IMODE((place.directory / "var").stat().st_mode) == 0o700
    assert place.done("jwt", "issue", "demo@example.com").count(b".") == 2


@pytest.fixture
def prepare(place, monkeypatch):
    """Return a function that prepares demo data as a start does, and returns the token."""
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


@pytest.mark.parametrize("held", ["", "fin_" + "A" * 49])
def test_file_that_holds_no_token_is_replaced(place, prepare, held):
    (place.directory / "var").mkdir()
    (place.directory / "var" / "demo-token").write_text(held + "\n")
    token = prepare()
    assert token != held
    listed = place.done("token", "list", "demo@example.com").decode()
    assert listed.count("\n") == 2
    assert token[:8] in listed


def test_demo_needs_no_ini_file_and_leaves_that_of_the_environment_alone(place, tmp_path, served):
    """As in a container, whose environment names the ini file for production."""
    place.write({"sqlalchemy.url": f"sqlite:///{tmp_path}/production.db"})
    place.directory = tmp_path / "empty"
    place.directory.mkdir()
    port = free_port()
    variables = {"FINANCE_API_SERVER_HOST": "0.0.0.0"}
    said = place.done("serve", "--demo", "--port", str(port), environment=variables).decode()
    assert said.startswith("created finance-api.ini\n")
    ((app, settings),) = served
    assert (settings["host"], settings["port"]) == ("0.0.0.0", str(port))
    path, headers = request_of(said, port)
    assert len(app.get(path, headers=headers).json["records"]) == 3
    assert {p.name for p in place.directory.iterdir()} == {"finance-api.ini", "var"}
    assert not (tmp_path / "production.db").exists()


def test_port_in_use_is_said_before_anything_is_made(place):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        said = place.refused("serve", "--demo", "--port", str(port))
    assert f"cannot listen on 127.0.0.1:{port}" in said
    assert "--port" in said
    assert not (place.directory / "var").exists()


def test_service_without_demo_data_makes_nothing(place, served):
    place.done("db", "upgrade")
    assert place.done("serve") == b""
    ((app, settings),) = served
    assert (settings["host"], settings["port"]) == ("127.0.0.1", "6543")
    assert app.get("/v1/api/records", status=401)
    assert place.done("user", "list").count(b"\n") == 1


def test_every_ipv6_address_means_every_ipv4_address_too(place, served):
    place.done("db", "upgrade")
    place.done("serve", "--host", "::")
    ((_, settings),) = served
    adjusted = Adjustments(host=settings["host"], port=settings["port"])
    assert {family for family, *_ in adjusted.listen} == {socket.AF_INET, socket.AF_INET6}


def test_an_ini_file_with_a_byte_order_mark_is_served(place, served):
    place.ini.write_bytes(b"\xef\xbb\xbf" + place.ini.read_bytes())
    place.done("db", "upgrade")
    place.done("serve")
    ((app, _),) = served
    assert app.get("/v1/api/records", status=401)


@pytest.mark.parametrize("text", [None, "[app:main]\nuse = egg:finance-api\n"])
def test_ini_file_without_a_server_is_refused_with_its_name(place, text):
    place.ini.unlink()
    if text is not None:
        place.ini.write_text(text)
    assert "development.ini" in place.refused("serve")


def test_an_address_that_cannot_be_had_is_a_sentence(place):
    place.done("db", "upgrade")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = place.refused("serve", "--port", str(port), process=True).splitlines()[-1]
    assert f"server.port: cannot listen on 127.0.0.1:{port}: Address already in use" in said


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
    assert place.refused("serve") == f"finance-api: {said}\n"


def test_the_readme_leads_from_nothing_to_a_spreadsheet_in_seven_commands(place, served):
    """With an own file of a bank, up to the address that a spreadsheet opens."""
    _, _, own = (ROOT / "README.md").read_text().partition("## Use your own data\n\n```sh\n")
    lines = own.partition("```")[0].splitlines()
    assert len(lines) <= 7
    home, printed = place.directory, b""
    place.environment = lambda **more: {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", **more}
    for line in lines:
        program, *words = shlex.split(line.replace("~", str(home)), comments=True)
        if program == "cd":
            (name,) = words
            place.directory = Path(name)
            statement = ofx_file(ofx_statement([("20260301", "-1.50", "1", "Kiosk")]))
            (place.directory / "statement.ofx").write_text(statement)
            (place.directory / "export.csv").write_text(
                "Date,Amount,Payee\n2026-03-02,-2.25,Café\n"
            )
            continue
        assert program == "finance-api"
        outcome = place.run(*words)
        assert outcome.code == 0, outcome
        printed = outcome.raw_out if "link" in words else printed
    ((app, _),) = served
    (address,) = re.findall(r"^http://\S+\.csv$", printed.decode(), re.MULTILINE)
    answer = app.get(urlsplit(address).path).text
    assert answer.splitlines()[1] == 'EUR,"2026-03",2026-03-01,3.75'
