"""Where the command finds its settings, and how it says that one is wrong."""

import pytest

from finance_api.settings import SETTINGS


def test_help_needs_no_ini_file(command):
    for arguments in ([], ["user"], ["token", "create"], ["import"], ["db", "upgrade"]):
        out = command.done(*arguments, "--help", environment={"FINANCE_API_CONFIG": "/nowhere"})
        assert b"Usage: finance-api" in out


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["user", "nonsense"],
        ["user", "add"],
        ["user", "list", "surplus"],
        ["user", "list", "--nonsense"],
        ["import", "a@b.c"],
        ["import", "a@b.c", "f", "--format", "xls"],
        ["import", "a@b.c", "f", "--skip-rows", "-1"],
        ["import", "a@b.c", "f", "--map", "payee"],
        ["token", "create", "a@b.c"],
        ["token", "create", "a@b.c", "--name", "x", "--scope", "nonsense"],
        ["token", "create", "a@b.c", "--name", "x", "--expires-in-days", "0"],
        ["token", "revoke"],
        ["load-demo", "--users", "0"],
        ["load-demo", "--records-per-user", "-1"],
        ["load-demo", "--seed", "x"],
        ["dump"],
        ["user", "set", "anna@example.org"],
    ],
    ids=" ".join,
)
def test_wrong_usage_ends_with_2(command, arguments):
    assert "Usage" in command.refused(*arguments, code=2)


def test_ini_file_comes_from_the_option_then_the_variable_then_the_directory(command):
    other = command.file("other.ini", command.ini.read_text())
    nowhere = {"FINANCE_API_CONFIG": "/nowhere/x.ini"}
    assert "/nowhere/x.ini" in command.refused("user", "list", environment=nowhere)
    command.done("-c", other, "user", "list", environment=nowhere)
    command.done("--config", other, "user", "list", environment=nowhere)
    assert "no.ini" in command.refused("-c", "no.ini", "user", "list")
    kept = command.environment
    command.environment = lambda **more: {
        k: v for k, v in kept(**more).items() if k != "FINANCE_API_CONFIG"
    }
    assert "development.ini" in command.refused("user", "list")
    command.file("development.ini", command.ini.read_text())
    command.done("user", "list")


@pytest.mark.parametrize(
    "text", ["", "nonsense", "[app:main]\nno equals", "[server:main]\nuse = x\n", "\xff[["]
)
def test_file_that_is_no_ini_file_is_refused_with_its_name(command, text):
    path = command.file("bad.ini", text)
    assert "bad.ini" in command.refused("-c", path, "user", "list")


def test_directory_and_binary_file_are_refused(command):
    command.refused("-c", str(command.directory), "user", "list")
    command.refused("-c", command.file("bin.ini", b"\xff\x00[app:main]"), "user", "list")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("finance_api.nonsense", "1"),
        ("finance_api.storage", "nonsense"),
        ("finance_api.storage", "os.getcwd"),
        ("finance_api.storage", ""),
        ("sqlalchemy.url", "nonsense"),
        ("sqlalchemy.url", "mysql://x/y"),
        ("sqlalchemy.url", ""),
        ("sqlalchemy.pool_size", "0"),
        ("sqlalchemy.pool_size", "many"),
        ("sqlalchemy.statement_seconds", "-1"),
        ("finance_api.require_https", "perhaps"),
        ("finance_api.trusted_proxies", "300.1.1.1"),
        ("finance_api.cors.origins", "example.org"),
        ("finance_api.allowed_hosts", " "),
        ("finance_api.tokens.last_used_seconds", "901"),
        ("finance_api.storage.memory.user", "a@example.org"),
        ("finance_api.storage.memory.load", "x"),
    ],
)
def test_wrong_or_unknown_setting_stops_with_its_name(command, name, value):
    ini = command.ini.read_text()
    kept = "\n".join(x for x in ini.splitlines() if not x.startswith(name + " "))
    path = command.file("wrong.ini", f"{kept}\n{name} = {value}\n")
    assert name in command.refused("-c", path, "user", "list")


def test_environment_overrides_the_file(command, new_sqlite_url):
    command.done("user", "add", "in-file@example.org")
    elsewhere = {"FINANCE_API_SQLALCHEMY_URL": new_sqlite_url()}
    command.done("user", "add", "elsewhere@example.org", environment=elsewhere)
    assert b"elsewhere" not in command.done("user", "list")
    assert b"in-file" not in command.done("user", "list", environment=elsewhere)


def test_environment_is_checked_as_the_file_is(command):
    wrong = {"FINANCE_API_REQUIRE_HTTPS": "perhaps"}
    assert "require_https" in command.refused("user", "list", environment=wrong).lower()
    unknown = {"FINANCE_API_NONSENSE": "1"}
    assert "FINANCE_API_NONSENSE" in command.refused("user", "list", environment=unknown)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: s.name)
def test_variable_of_a_setting_is_its_name_in_capitals(setting):
    short = setting.name.removeprefix("finance_api.").replace(".", "_").upper()
    assert setting.variable == f"FINANCE_API_{short}"


def test_storage_variables_are_those_that_the_documents_name(command):
    memory = {"FINANCE_API_STORAGE": "memory", "FINANCE_API_SQLALCHEMY_URL": ""}
    assert command.done("user", "list", environment=memory).count(b"\n") == 1
