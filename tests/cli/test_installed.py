"""The installed package, without a checkout: from an empty folder to a response."""

import os
import re
import signal
import subprocess
import sys
import sysconfig
import urllib.request
import venv
from pathlib import Path

import psutil
import pytest

from finance_api.values.version import __version__
from support.programs import free_port, wait_until

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """An environment with a wheel that was built from an sdist, without a network. It shares its
    dependencies with these tests.
    """
    directory = tmp_path_factory.mktemp("installed")
    python = (sys.executable, "-W", "ignore")
    sdist = ("setup.py", "-q", "egg_info", "--egg-base", str(directory), "sdist", "--dist-dir")
    made(*python, *sdist, str(directory))
    (archive,) = directory.glob("*.tar.gz")
    pip = (*python, "-m", "pip", "-q", "--disable-pip-version-check")
    offline = ("--no-index", "--no-deps")
    made(*pip, "wheel", *offline, "--no-build-isolation", "-w", str(directory), str(archive))
    (wheel,) = directory.glob("*.whl")
    venv.create(directory / "venv")
    made(*pip, "--python", str(directory / "venv"), "install", *offline, "--no-compile", str(wheel))
    (site,) = (directory / "venv").glob("lib/python*/site-packages")
    # The .pth files of that other folder are not read, so the checkout is not on the path.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    return site


def made(*command):
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)


@pytest.fixture
def start(installed, tmp_path):
    """Starts the command in an empty folder, with the installed package alone."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("FINANCE_API_", "PYTHON"))}
    command = installed.parents[2] / "bin/finance-api"

    def start(*arguments, **options):
        environment = {**kept, "PYTHONWARNINGS": "ignore"}
        return subprocess.Popen([command, *arguments], cwd=tmp_path, env=environment, **options)

    return start


def test_the_command_says_its_version(start):
    with start("--version", stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.read().split()[-1] == __version__


def test_newcomer_gets_from_an_empty_folder_to_an_answer_with_one_process(start, tmp_path):
    port = free_port()
    with open(tmp_path / "log", "wb") as log:
        server = start("serve", "--demo", "--port", str(port), stdout=log, stderr=log)

    def said():
        return (tmp_path / "log").read_text()

    def read(path, **headers):
        request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)
        with urllib.request.urlopen(request) as response:
            return response.read().decode()

    try:
        wait_until(lambda: "Serving on" in said() or server.poll() is not None)
        assert psutil.Process(server.pid).children() == [], said()
        token = (tmp_path / "var" / "demo-token").read_text().strip()
        assert '"records":[{' in read("/v1/api/records", Authorization=f"Bearer {token}")
        links = re.findall(r'href="([^"]+\.css[^"]*)"', read("/settings/login"))
        assert read(links[0])
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=60)
    assert server.returncode == 0, said()
    assert " finance_api.access " in said()


def test_every_file_of_the_package_is_installed(installed):
    def files(directory):
        found = directory / "finance_api"
        # In a checkout the guides are a link, which rglob does not follow.
        walked = (found, found / "web/docs")
        files = (p for folder in walked for p in folder.rglob("*") if p.is_file())
        return {str(p.relative_to(found)) for p in files}

    ours = {name for name in files(ROOT) if "__pycache__" not in name}
    assert len(ours) > 200
    assert {name for name in files(installed) if "__pycache__" not in name} == ours
