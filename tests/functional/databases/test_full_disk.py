"""F7: on a full disk reads go on, imports are refused whole, and nothing needs a restart."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.programs import as_child, missing

TESTS = Path(__file__).parents[2]
MOUNT = 'mount -t tmpfs -o size=16m finance-tests "$0" && exec "$@"'


@pytest.mark.nightly
def test_f7_reads_go_on_and_imports_store_nothing(tmp_path: Path) -> None:
    unshare = shutil.which("unshare")
    if unshare is None:
        missing("unshare")
    alone = [unshare, "--map-root-user", "--mount"]
    if subprocess.run([*alone, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount a file system of their own")
    program = [sys.executable, "-m", "support.full_disk", tmp_path]
    done = subprocess.run(
        as_child([*alone, "sh", "-c", MOUNT, tmp_path, *program]),
        cwd=TESTS,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
