"""Plug-ins: the application runs without any of them, even if their files are missing."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from finance_api import main
from finance_api.runtime.settings import SettingError
from finance_api.settings import PLUGINS
from support.nightly import count
from support.service import Service

MEMORY = {"finance_api.storage": "memory"}
ROOT = Path(__file__).parents[3]
#: A path of each plug-in.
PATHS = {"finance_api.wallet": "/wallet/v1/api/records", "finance_api.web": "/overview"}
#: Quick unit tests of parts below and beside the plug-ins.
UNIT_TESTS = count(("settings",), ("values", "query", "settings", "usage"))
#: Imports every module that is left, and starts the application.
STARTING = """
import importlib, pkgutil, sys
import finance_api
skipped = ("finance_api.storage.sql.migrations", "finance_api.clients.mcp")
skipped += ("finance_api.http.tracing",)
for module in pkgutil.walk_packages(finance_api.__path__, "finance_api."):
    if not module.name.startswith(skipped):
        importlib.import_module(module.name)
settings = {"finance_api.storage": "memory", "finance_api.plugins": sys.argv[1]}
finance_api.main({}, **settings).registry.services.close()
print(finance_api.__file__)
"""


def others(plugin):
    return " ".join(other for other in PLUGINS if other != plugin)


@pytest.mark.parametrize("plugin", PLUGINS)
def test_the_application_starts_without_a_plug_in(plugin):
    service = Service("memory", {**MEMORY, "finance_api.plugins": others(plugin)})
    client = service.client()
    assert client.get("records").status_int == 200
    for other, path in PATHS.items():
        answer = service.web.get(path, headers=client.headers, status="*")
        assert (answer.status_int == 404) == (other == plugin)
    index = service.web.get("/v1").json["links"]
    assert ("docs" in index) == (plugin != "finance_api.web")
    assert ("walletDescription" in index) == (plugin != "finance_api.wallet")
    refused = service.web.get("/nothing", status=404)
    assert ("service-doc" in refused.headers["Link"]) == (plugin != "finance_api.web")
    service.stop()


def test_a_plug_in_that_is_not_there_is_named():
    said = "finance_api.plugins: finance_api.nothing: No module named 'finance_api.nothing'"
    with pytest.raises(SettingError, match=said):
        main({}, **MEMORY, **{"finance_api.plugins": "finance_api.nothing"})


@pytest.mark.nightly
@pytest.mark.parametrize("plugin", count(PLUGINS[:1], PLUGINS))
def test_the_rest_works_where_the_package_of_a_plug_in_is_missing(plugin, tmp_path):
    shutil.copytree(ROOT / "finance_api", tmp_path / "finance_api")
    shutil.rmtree(tmp_path / plugin.replace(".", "/"))
    for name in ("conftest.py", "support", *(f"unit/{folder}" for folder in UNIT_TESTS)):
        source, target = ROOT / "tests" / name, tmp_path / "tests" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copy if source.is_file() else shutil.copytree)(source, target)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    python = (sys.executable, "-W", "ignore")
    start = subprocess.run(
        [*python, "-c", STARTING, others(plugin)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert start.stdout.strip() == str(tmp_path / "finance_api" / "__init__.py"), start.stderr
    unit_tests = [f"tests/unit/{folder}" for folder in UNIT_TESTS]
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider"]
        + unit_tests,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert tested.returncode == 0, tested.stdout
