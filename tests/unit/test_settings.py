"""Settings: a wrong or unknown one stops the start with its name."""

import pytest

from finance_api.settings import SERVER_SETTINGS, SETTINGS, SettingError, read_settings


def test_every_setting_has_a_default_that_can_be_read():
    settings = read_settings({}, {})
    assert set(settings) == {setting.name for setting in SETTINGS}


def test_the_environment_overrides_the_ini_file():
    environment = {"FINANCE_API_STORAGE": "memory", "FINANCE_API_SQLALCHEMY_URL": "sqlite:///x"}
    settings = read_settings({"finance_api.storage": "sql"}, environment)
    assert settings["finance_api.storage"] == "memory"
    assert settings["sqlalchemy.url"] == "sqlite:///x"


def test_variables_of_others_are_left_alone():
    read_settings({"pyramid.includes": ""}, {"FINANCE": "x", "FINANCE_API_CONFIG": "x.ini"})


@pytest.mark.parametrize(
    ("given", "environment", "name"),
    [
        ({"finance_api.storge": "sql"}, {}, "finance_api.storge"),
        ({"sqlalchemy.echo": "true"}, {}, "sqlalchemy.echo"),
        ({}, {"FINANCE_API_STORGE": "sql"}, "FINANCE_API_STORGE"),
        ({"sqlalchemy.pool_size": "many"}, {}, "sqlalchemy.pool_size"),
        ({"sqlalchemy.pool_size": "0"}, {}, "sqlalchemy.pool_size"),
        ({"finance_api.require_https": "maybe"}, {}, "finance_api.require_https"),
        ({"finance_api.allowed_hosts": " "}, {}, "finance_api.allowed_hosts"),
        ({"finance_api.trusted_proxies": "10.0.0.1/8"}, {}, "finance_api.trusted_proxies"),
        ({"finance_api.cors.origins": "example.org"}, {}, "finance_api.cors.origins"),
        ({}, {"FINANCE_API_STORAGE": ""}, "finance_api.storage"),
    ],
)
def test_a_wrong_or_unknown_setting_is_named(given, environment, name):
    with pytest.raises(SettingError, match=name.replace(".", r"\.")):
        read_settings(given, environment)


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
    read_settings({}, {"FINANCE_API_SERVER_WORKERS": "2"})
