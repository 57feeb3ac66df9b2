"""The installed package, without a checkout: from an empty folder to a response."""

import os
import re
import signal
import subprocess
import sys
import sysconfig
import time
import urllib.error
import urllib.request
import venv
from pathlib import Path

import pytest

from finance_api.values.version import __version__
from support.programs import free_port

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """An environment with what a wheel has that is made of an sdist, without any network.

    What it depends on is that of these tests.
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
    made(*pip, "--python", str(directory / "venv"), "install", *offline, str(wheel))
    (site,) = (directory / "venv").glob("lib/python*/site-packages")
    # Files like it in that folder are not read: the checkout is not there.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    return site


def made(*command):
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)


@pytest.fixture
def shell(installed, tmp_path):
    """Runs the command in an empty folder, with the installed package alone."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("FINANCE_API_", "PYTHON"))}
    command = installed.parents[2] / "bin/finance-api"

    def start(*arguments, **options):
        environment = {**kept, "PYTHONWARNINGS": "ignore"}
        return subprocess.Popen([command, *arguments], cwd=tmp_path, env=environment, **options)

    return start


def done(process):
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return out


def test_newcomer_gets_from_an_empty_folder_to_an_answer(shell):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    assert done(shell("--version", **pipes)).split()[-1] == __version__
    for line in ("init", "db upgrade", "user add me@example.com --premium"):
        done(shell(*line.split(), **pipes))
    token = done(shell("token", "create", "me@example.com", "--name", "first", **pipes)).strip()
    port = free_port()
    server = shell("serve", "--port", str(port), **pipes)
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/v1/api/records", headers={"Authorization": f"Bearer {token}"}
    )
    try:
        deadline = time.monotonic() + 60
        while True:
            assert server.poll() is None and time.monotonic() < deadline
            try:
                with urllib.request.urlopen(request) as response:
                    assert b'"records":[]' in response.read()
                break
            except ConnectionRefusedError:
                time.sleep(0.05)
            except urllib.error.URLError as error:
                assert isinstance(error.reason, ConnectionRefusedError), error
                time.sleep(0.05)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/settings/login") as page:
            links = re.findall(r'href="([^"]+\.css[^"]*)"', page.read().decode())
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{links[0]}") as style:
            assert style.status == 200
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=60)


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
