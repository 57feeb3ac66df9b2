"""The package as it is installed, without a checkout: from an empty folder to an answer."""

import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from support.programs import free_port

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with what a wheel has, made as for a wheel but without any network."""
    directory = tmp_path_factory.mktemp("installed")
    subprocess.run(
        [
            *(sys.executable, "-W", "ignore", "setup.py", "-q"),
            *("egg_info", "--egg-base", str(directory)),
            *("build", "--build-base", str(directory / "build"), "--build-lib", str(directory)),
        ],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    return directory


@pytest.fixture
def shell(installed, tmp_path):
    """Runs the command in an empty folder, with the installed package alone."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("FINANCE_API_")}
    program = (
        "import sys, finance_api; from finance_api.cli import run; "
        f"assert finance_api.__file__.startswith({str(installed)!r}); run()"
    )

    def start(*arguments, **options):
        return subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", program, *arguments],
            cwd=tmp_path,
            env={**kept, "PYTHONPATH": str(installed)},
            **options,
        )

    return start


def done(process):
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return out


def test_newcomer_gets_from_an_empty_folder_to_an_answer(shell):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
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
        return {str(p.relative_to(found)) for p in found.rglob("*") if p.is_file()}

    ours = {name for name in files(ROOT) if "__pycache__" not in name}
    assert len(ours) > 200
    assert {name for name in files(installed) if "__pycache__" not in name} == ours
