"""The samples, each beside what it holds."""

import json
from pathlib import Path

import pytest

from finance_api.importers.ofx.signature import looks_like_ofx
from support.ofx import read_ofx
from support.whole import readable

SAMPLES = Path(__file__).parents[2] / "samples" / "ofx"
FILES = sorted(path for path in SAMPLES.iterdir() if path.suffix in (".ofx", ".qfx", ".qbo"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_sample_reads_as_the_file_beside_it_says(path: Path) -> None:
    expected = json.loads(path.with_suffix(".json").read_text("utf-8"))
    assert [readable(whole) for whole in read_ofx(path.read_bytes())] == expected


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_sample_is_recognised_by_its_beginning(path: Path) -> None:
    assert looks_like_ofx(path.read_bytes()[:4096])
