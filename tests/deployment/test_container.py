"""The image and the compose file. Tests that build the image need a base image: see BASE."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from finance_api.settings import SERVER_SETTINGS, SETTINGS
from support.programs import free_port, wait_until

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"

#: A local image with Python and its venv. FINANCE_TEST_BASE_FILES names more files of this machine
#: that the build may read, separated by colons, such as the settings of a package mirror.
BASE = os.environ.get("FINANCE_TEST_BASE_IMAGE", "")
HOST_FILES = (
    *("/etc/pip.conf", "/etc/ssl/certs"),
    *filter(None, os.environ.get("FINANCE_TEST_BASE_FILES", "").split(":")),
)


def test_variables_are_settings():
    text = "".join((DEPLOY / name).read_text() for name in ("Containerfile", "compose.yaml"))
    known = {setting.variable for setting in (*SETTINGS, *SERVER_SETTINGS)}
    known |= {setting.file_variable for setting in SETTINGS if setting.secret}
    named = set(re.findall("FINANCE_API_[A-Z_]+", text))
    assert len(named) > 4
    assert named <= known | {"FINANCE_API_CONFIG"}


def test_the_image_is_built_of_everything_that_the_package_needs(tmp_path):
    copied = re.findall("^COPY (?!--)(.+) /build/.*$", (DEPLOY / "Containerfile").read_text(), re.M)
    for name in " ".join(copied).split():
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, tmp_path / name, symlinks=True, ignore=ignored)
        else:
            shutil.copy(ROOT / name, tmp_path)
    build = [sys.executable, "-W", "ignore", "setup.py", "-q", "build_py", "--build-lib", "built"]
    subprocess.run(build, cwd=tmp_path, check=True, capture_output=True)
    ours, built = (
        {
            os.path.relpath(Path(folder, name), at)
            # The guides are a link to docs/.
            for folder, _, names in os.walk(at, followlinks=True)
            for name in names
            if not name.endswith(".pyc")
        }
        for at in (ROOT / "finance_api", tmp_path / "built/finance_api")
    )
    assert len(ours) > 200
    assert built == ours


def test_compose_understands_its_file():
    if shutil.which("docker-compose") is None:
        pytest.skip("docker-compose is not installed")
    done = subprocess.run(
        ["docker-compose", "--file", str(DEPLOY / "compose.yaml"), "config", "--quiet"],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture(scope="module")
def container():
    """A command that runs another one in a container of the image."""
    if not BASE or shutil.which("buildah") is None:
        pytest.skip("FINANCE_TEST_BASE_IMAGE is not set, or buildah not installed")
    volumes = [f"--volume={path}:{path}:ro" for path in HOST_FILES if os.path.exists(path)]
    environment = [f"--env={k}={v}" for k, v in os.environ.items() if k.startswith("PIP_")]
    image = "localhost/finance-api-test"
    build = ("--isolation=chroot", "--format=docker", "--network=host", f"--build-arg=BASE={BASE}")
    file = ("--file", str(DEPLOY / "Containerfile"), "--tag", image, str(ROOT))
    run = {"check": True, "capture_output": True, "text": True}
    subprocess.run(["buildah", "bud", *build, *volumes, *environment, *file], **run)
    made = subprocess.run(["buildah", "from", image], **run).stdout.strip()
    yield made, ("buildah", "run", "--isolation=chroot", "--network=host")
    subprocess.run(["buildah", "rm", made], **run)


def test_the_image_serves_and_its_health_check_tells(container):
    made, run = container
    inspected = subprocess.check_output(["buildah", "inspect", "--type=container", made])
    config = json.loads(inspected)["Docker"]["config"]
    assert config["User"] == "finance-api"
    port = str(free_port())
    health = [part.replace("6543", port) for part in config["Healthcheck"]["Test"][1:]]
    url = "sqlite:////var/lib/finance-api/finance.sqlite"
    given = {"SQLALCHEMY_URL": url, "ALLOWED_HOSTS": "localhost", "SERVER_PORT": port}
    options = [f"--env=FINANCE_API_{name}={value}" for name, value in given.items()]
    command = [*run, *options, made, "--"]
    assert subprocess.run([*command, *health], capture_output=True).returncode != 0
    subprocess.run([*command, "finance-api", "db", "upgrade"], check=True)
    with subprocess.Popen([*command, *config["Cmd"]]) as server:
        try:
            wait_until(lambda: not subprocess.run([*command, *health]).returncode)
        finally:
            # This does not test how the service ends: buildah kills it.
            server.terminate()
