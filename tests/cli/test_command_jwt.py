"""finance-api jwt"""

import json
import re
from base64 import urlsafe_b64decode

import pytest
from webtest import TestApp

import finance_api
from finance_api.auth.jwt_keys import read_key_file
from support.command import Command
from support.jwt_keys import hs, key_set
from support.service import shared_applications

NOBODY = "nobody@example.org"
WEAK = "finance-api-signing-key-of-the-production-service"
UTC = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"


def settings_of(command):
    lines = command.ini.read_text().splitlines()[2:]
    return {k: v.replace("%%", "%") for k, _, v in (line.partition(" = ") for line in lines) if k}


@pytest.fixture
def keys(command):
    """Return the path of a key file with one key, which the settings name."""
    path = command.directory / "keys.json"
    command.write({**settings_of(command), "finance_api.jwt.keys": str(path)})
    command.done("jwt", "new-key")
    return path


@pytest.fixture
def settings(command):
    def change(**values):
        given = {f"finance_api.jwt.{name}": value for name, value in values.items()}
        command.write({**settings_of(command), **given})

    return change


def issue(command, email, *options, **more):
    return command.done("jwt", "issue", email, *options, **more).decode()


def part(token, index):
    text = token.strip().split(".")[index]
    return json.loads(urlsafe_b64decode(text + "=" * (-len(text) % 4)))


def claims(token):
    return part(token, 1)


def listed(command, email):
    return command.done("jwt", "list", email).decode().splitlines()[1:]


def status(command, token):
    with shared_applications():
        app = finance_api.main({}, **settings_of(command))
        headers = {"Authorization": f"Bearer {token.strip()}"}
        answer = TestApp(app).get("/internal/v1/get-records", headers=headers, status="*")
        app.registry.services.close()
        return answer.status_int


# -- issue


def test_jwt_stands_alone_on_standard_output(command, anna, keys):
    out = issue(command, anna)
    assert re.fullmatch(r"[\w-]+\.[\w-]+\.[\w-]+\n", out)
    assert issue(command, anna) != out


def test_jwt_says_who_by_whom_for_whom_and_until_when(command, anna, keys, settings):
    settings(issuers="first second", audience="me", ttl_seconds="600")
    token = issue(command, anna)
    said = claims(token)
    assert set(said) == {"iss", "aud", "sub", "jti", "iat", "exp"}
    assert (said["iss"], said["aud"]) == ("first", "me")
    assert said["exp"] - said["iat"] == 600
    assert re.fullmatch("[0-9a-f-]{36}", said["sub"])
    (key,) = read_key_file(str(keys))
    assert part(token, 0) == {"alg": "HS256", "typ": "JWT", "kid": key.kid}
    assert said["sub"] != claims(token)["jti"] != claims(issue(command, anna))["jti"]


def test_life_beyond_the_longest_is_refused_with_its_setting(command, anna, keys, settings):
    assert "max_ttl_seconds" in command.refused("jwt", "issue", anna, "--ttl-seconds", "2592001")
    settings(max_ttl_seconds="7200")
    issue(command, anna, "--ttl-seconds", "7200")
    said = command.refused("jwt", "issue", anna, "--ttl-seconds", "7201")
    assert "7200" in said
    assert len(listed(command, anna)) == 1


def test_jwt_of_an_unknown_or_disabled_user_is_refused(command, anna, keys):
    assert NOBODY in command.refused("jwt", "issue", NOBODY)
    command.done("user", "set", anna, "--disable")
    assert "disabled" in command.refused("jwt", "issue", anna)
    command.done("user", "set", anna, "--enable")
    issue(command, anna)


def test_premium_is_not_needed_for_a_jwt(command, keys):
    command.done("user", "add", NOBODY)
    assert status(command, issue(command, NOBODY)) == 200


def test_without_a_key_no_jwt_is_made(command, anna, settings, tmp_path):
    for arguments in (["issue", anna], ["new-key"]):
        assert "finance_api.jwt.keys" in command.refused("jwt", *arguments)
    settings(keys=str(tmp_path / "absent.json"))
    assert "new-key" in command.refused("jwt", "issue", anna)
    (tmp_path / "absent.json").write_text(key_set())
    assert "new-key" in command.refused("jwt", "issue", anna)


def test_jwt_for_the_memory_storage_needs_no_database(tmp_path):
    keys = tmp_path / "keys.json"
    memory = Command(
        tmp_path,
        {
            "finance_api.storage": "memory",
            "finance_api.storage.memory.user": "anna@example.org",
            "finance_api.jwt.keys": str(keys),
        },
    )
    memory.done("jwt", "new-key")
    token = issue(memory, "anna@example.org")
    assert status(memory, token) == 200
    assert NOBODY in memory.refused("jwt", "issue", NOBODY)
    for arguments in (["revoke", "x"], ["revoke", "--all", "anna@example.org"]):
        assert "finance_api.storage" in memory.refused("jwt", *arguments)


# -- list


def test_list_shows_ids_and_times_of_what_was_issued(command, anna, keys):
    assert listed(command, anna) == []
    said = claims(issue(command, anna))
    (line,) = listed(command, anna)
    assert line.split()[0] == said["jti"]
    assert len(re.findall(UTC, line)) == 2
    assert line.split()[-1] == "-"


def test_list_needs_no_keys_and_holds_no_token(command, anna, keys):
    token = issue(command, anna)
    keys.unlink()
    text = "\n".join(listed(command, anna))
    assert not any(piece in text for piece in token.strip().split("."))


# -- revoke


def test_jwt_is_revoked_by_its_id(command, anna, keys):
    one, other = issue(command, anna), issue(command, anna)
    jti = claims(one)["jti"]
    assert jti in command.done("jwt", "revoke", jti).decode()
    assert (status(command, one), status(command, other)) == (401, 200)
    lines = {line.split()[0]: line for line in listed(command, anna)}
    assert len(re.findall(UTC, lines[jti])) == 3
    assert len(re.findall(UTC, lines[claims(other)["jti"]])) == 2


def test_unknown_id_is_remembered_and_said_to_be_unknown(command, anna, keys):
    for _ in range(2):
        outcome = command.run("jwt", "revoke", "made elsewhere")
        assert outcome.code == 0, outcome
        assert outcome.out == "revoked made elsewhere\n"
        assert "issued here" in outcome.err
    assert listed(command, anna) == []


@pytest.mark.parametrize("jti", ["", "x" * 255, "a\nb"])
def test_id_that_no_jwt_can_have_is_refused(command, anna, keys, jti):
    assert "jti" in command.refused("jwt", "revoke", jti)


def test_all_jwts_of_a_user_are_revoked(command, anna, keys):
    command.done("user", "add", NOBODY)
    one, two, other = issue(command, anna), issue(command, anna), issue(command, NOBODY)
    assert anna in command.done("jwt", "revoke", "--all", " Anna@Example.org").decode()
    assert [status(command, token) for token in (one, two, other)] == [401, 401, 200]
    assert ["-" in line.split()[-1:] for line in listed(command, anna)] == [False, False]
    assert status(command, issue(command, anna)) == 200


@pytest.mark.parametrize(
    "arguments",
    [["revoke", "--all"], ["issue", "a@b.org", "c@d.org"], ["new-key", "x"]],
    ids=" ".join,
)
def test_wrong_usage_ends_with_2(command, anna, keys, arguments):
    command.refused("jwt", *arguments, code=2)
    assert len(read_key_file(str(keys))) == 1


# -- new-key


def test_new_key_names_itself_and_never_shows_itself(command, keys):
    outcome = command.run("jwt", "new-key")
    assert (outcome.code, outcome.err) == (0, "")
    entry = json.loads(keys.read_text())["keys"][-1]
    assert entry["kid"] in outcome.out
    assert str(keys) in outcome.out
    assert entry["k"] not in outcome.out


def test_new_key_may_drop_older_ones_with_their_jwts(command, anna, keys):
    old = issue(command, anna)
    command.done("jwt", "new-key", "--drop-old")
    assert len(read_key_file(str(keys))) == 1
    assert (status(command, old), status(command, issue(command, anna))) == (401, 200)


def test_new_key_needs_no_database(tmp_path):
    keys = tmp_path / "keys.json"
    url = f"sqlite:///{tmp_path}/absent.db"
    command = Command(tmp_path, {"sqlalchemy.url": url, "finance_api.jwt.keys": str(keys)})
    command.done("jwt", "new-key")
    assert len(read_key_file(str(keys))) == 1
    assert not (tmp_path / "absent.db").exists()


# -- keys that could be guessed


@pytest.mark.parametrize("arguments", [["jwt", "issue", "anna@example.org"], ["serve"]])
def test_with_a_weak_key_no_jwt_is_made_and_the_service_does_not_start(
    command, anna, keys, arguments
):
    keys.write_text(key_set(hs("the weak one", WEAK)))
    with command.ini.open("a") as ini:
        ini.write("[server:main]\nuse = egg:waitress#main\nport = 1\n")
    said = command.refused(*arguments)
    assert said.count("\n") == 1
    assert all(part in said for part in ("finance_api.jwt.keys", "the weak one", "new-key"))
    assert str(keys) in said
    assert not any(WEAK[i : i + 12] in said for i in range(len(WEAK) - 12))
    assert listed(command, anna) == []
