"""The service needs no network: tests pass where only the loopback interface exists."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.nightly import count
from support.programs import missing

ROOT = Path(__file__).parents[3]
TESTS = count(
    [
        "tests/functional/internal/test_jwt_attacks.py::"
        "test_a_token_that_brings_its_key_or_extensions_is_refused[sqlite-jku]",
        "tests/functional/servers/test_process.py::"
        "test_a_service_from_the_ini_file_serves_until_it_is_ended",
    ],
    ["tests/cli", "tests/functional", "tests/storage"],
)
#: Brings the loopback interface up (SIOCSIFFLAGS, IFF_UP), and runs pytest.
_WITH_LOOPBACK = """
import fcntl, os, socket, struct, sys
with socket.socket() as any_socket:
    fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh22x", b"lo", 1))
os.execv(sys.executable, [sys.executable, "-m", "pytest", *sys.argv[1:]])
"""


@pytest.fixture
def namespace():
    """A command that runs another one in a network namespace of its own."""
    unshare = shutil.which("unshare") or missing("unshare")
    command = [unshare, *([] if os.geteuid() == 0 else ["--map-root-user"]), "--net"]
    if subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        pytest.skip("network namespaces are not allowed here")
    return command


@pytest.mark.nightly
def test_the_service_needs_no_network(namespace, figures):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("FINANCE_TEST_NIGHT")}
    done = subprocess.run(
        [*namespace, sys.executable, "-c", _WITH_LOOPBACK, "-q", "-p", "no:cacheprovider", *TESTS],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-10_000:] + done.stderr[-1_000:]
    figures(done.stdout.splitlines()[-1])
