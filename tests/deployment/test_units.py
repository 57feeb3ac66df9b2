"""The systemd units: systemd accepts them, and they are confined. They are not started."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

DEPLOY = Path(__file__).parents[2] / "deploy"
UNITS = sorted(p for p in DEPLOY.iterdir() if p.suffix in (".service", ".path", ".timer"))
SERVICES = [p for p in UNITS if p.suffix == ".service"]

#: Maximum exposure by `systemd-analyze security`, out of 10.
MOST_EXPOSURE = 2.0


def analyze(*arguments):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    return subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True)


def test_there_are_units():
    assert len(SERVICES) >= 3
    assert {p.suffix for p in UNITS} == {".service", ".path", ".timer"}


@pytest.mark.parametrize("unit", SERVICES, ids=lambda p: p.name)
def test_a_service_is_confined(unit):
    done = analyze("security", "--offline=true", str(unit))
    (found,) = re.findall(r"Overall exposure level for \S+: ([0-9.]+)", done.stdout)
    assert float(found) <= MOST_EXPOSURE, done.stdout


@pytest.mark.parametrize("unit", UNITS, ids=lambda p: p.name)
def test_systemd_understands_a_unit(unit, tmp_path):
    """Check the units as they are installed, with an instance of each template and a harmless
    program.
    """
    for other in UNITS:
        text = re.sub("/opt/finance-api/bin/(pserve|finance-api)", "/bin/true", other.read_text())
        (tmp_path / other.name).write_text(text)
    instance = "6543" if unit.name.startswith("finance-api@") else "me@example.org"
    name = unit.name.replace("@.", f"@{instance}.")
    (tmp_path / name).write_text((tmp_path / unit.name).read_text())
    done = analyze("verify", "--man=no", str(tmp_path / name))
    said = [
        line
        for line in done.stderr.splitlines()
        if "finance-api" in line and "/etc/finance-api" not in line
    ]
    assert not said
    assert done.returncode == 0, done.stderr
