"""Settings: the application does not start with a wrong or unknown one, and names it."""

import pytest

from finance_api.runtime.settings import SettingError
from finance_api.settings import SERVER_SETTINGS, SETTINGS, read_settings


def test_every_setting_has_a_default_that_can_be_read():
    settings = read_settings({}, {})
    assert set(settings) == {setting.name for setting in SETTINGS}


def test_the_environment_overrides_the_ini_file():
    environment = {"FINANCE_API_STORAGE": "memory", "FINANCE_API_SQLALCHEMY_URL": "sqlite:///x"}
    settings = read_settings({"finance_api.storage": "sql"}, environment)
    assert settings["finance_api.storage"] == "memory"
    assert settings["sqlalchemy.url"] == "sqlite:///x"


def test_variables_of_others_are_left_alone():
    given, variables = {"pyramid.includes": ""}, {"FINANCE": "x", "FINANCE_API_CONFIG": "x.ini"}
    assert read_settings(given, variables) == {**read_settings({}, {}), **given}


def test_settings_of_the_server_are_read_in_the_same_way():
    environment = {"FINANCE_API_SERVER_WORKERS": "3", "FINANCE_API_STORAGE": "memory"}
    settings = read_settings({"server.threads": "2"}, environment, SERVER_SETTINGS)
    assert set(settings) == {setting.name for setting in SERVER_SETTINGS}
    assert (settings["server.workers"], settings["server.threads"]) == (3, 2)
    assert settings["server.port"] == 6543


@pytest.mark.parametrize(
    ("given", "environment", "said"),
    [
        ({"server.workres": "1"}, {}, "server.workres: there is no such setting"),
        ({"finance_api.storage": "sql"}, {}, "finance_api.storage: there is no such setting"),
        ({}, {"FINANCE_API_SERVER_WORKRES": "1"}, "FINANCE_API_SERVER_WORKRES: there is no such"),
        ({}, {"FINANCE_API_SERVER_WORKERS": "0"}, "server.workers: '0' is not a whole number"),
        ({"server.host": "localhost"}, {}, "server.host: 'localhost' is not an IP address"),
    ],
)
def test_a_wrong_or_unknown_setting_of_the_server_is_named(given, environment, said):
    with pytest.raises(SettingError, match=said):
        read_settings(given, environment, SERVER_SETTINGS)


def test_the_application_leaves_the_settings_of_the_server_alone():
    assert read_settings({}, {"FINANCE_API_SERVER_WORKERS": "2"}) == read_settings({}, {})


URL = "postgresql://user:secret@localhost/name"


def test_a_secret_can_be_in_a_file(tmp_path):
    file = tmp_path / "url"
    file.write_text(f"{URL}\n")
    environment = {"FINANCE_API_SQLALCHEMY_URL_FILE": str(file)}
    given = {"sqlalchemy.url": "sqlite:///of-the-ini-file"}
    assert read_settings(given, environment)["sqlalchemy.url"] == URL


def test_a_secret_can_be_a_credential_of_systemd(tmp_path):
    (tmp_path / "sqlalchemy.url").write_text(URL)
    environment = {"CREDENTIALS_DIRECTORY": str(tmp_path)}
    assert read_settings({"sqlalchemy.url": "sqlite://"}, environment)["sqlalchemy.url"] == URL
    environment["FINANCE_API_SQLALCHEMY_URL"] = "sqlite:///nearer"
    assert read_settings({}, environment)["sqlalchemy.url"] == "sqlite:///nearer"
    others = {"CREDENTIALS_DIRECTORY": str(tmp_path / "none")}
    assert read_settings({"sqlalchemy.url": "sqlite://"}, others)["sqlalchemy.url"] == "sqlite://"


def test_a_file_of_a_secret_that_cannot_be_used_is_named(tmp_path):
    wrong = tmp_path / "wrong"
    wrong.write_bytes(b"postgresql://user:s3cr3t@localhost\xff")
    named = "FINANCE_API_SQLALCHEMY_URL_FILE"
    for environment, said in (
        ({named: str(tmp_path / "missing")}, "cannot be read"),
        ({named: str(wrong)}, "is not UTF-8"),
        ({named: str(wrong), "FINANCE_API_SQLALCHEMY_URL": "sqlite://"}, "set only one of them"),
        ({"FINANCE_API_STORAGE_FILE": str(wrong)}, "there is no such setting"),
    ):
        with pytest.raises(SettingError, match=said) as error:
            read_settings({}, environment)
        assert "s3cr3t" not in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "localhost 127.0.0.1 [::1]",
        "NAS.example.org, nas",
        "finance_api xn--bcher-kva.example",
        "[fe80::1] [::ffff:10.0.0.1]",
        "nas.example.org.",
        "*",
    ],
)
def test_allowed_hosts_are_names_and_addresses(text):
    found = read_settings({"finance_api.allowed_hosts": text}, {})["finance_api.allowed_hosts"]
    assert found == tuple(text.lower().replace(",", "").split())


@pytest.mark.parametrize(
    ("text", "element"),
    [
        ('"localhost 127.0.0.1"', '"localhost'),
        ("'nas.example'", "'nas.example'"),
        ("localhost https://nas.example", "https://nas.example"),
        ("nas.example:7103", "nas.example:7103"),
        ("nas.example/finance", "nas.example/finance"),
        ("*.example.org", "*.example.org"),
        (".example.org", ".example.org"),
        ("::1", "::1"),
        ("[::1]:80", "[::1]:80"),
        ("[nas]", "[nas]"),
        ("-nas", "-nas"),
        ("bücher.example", "bücher.example"),
    ],
)
def test_an_allowed_host_in_another_form_is_refused_with_the_element(text, element):
    with pytest.raises(SettingError) as refused:
        read_settings({}, {"FINANCE_API_ALLOWED_HOSTS": text})
    message = str(refused.value)
    assert message.startswith("finance_api.allowed_hosts: ")
    assert f"has {element}, which is no host name" in message
