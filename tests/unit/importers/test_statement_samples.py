"""The samples of OFX, camt and MT940 give the content in the files beside them."""

import json
from pathlib import Path

import pytest

from support.any_file import any_importer
from support.whole import read_whole, readable

SAMPLES = Path(__file__).parents[2] / "samples"
FILES = [
    path
    for folder in ("ofx", "camt", "mt940")
    for path in sorted((SAMPLES / folder).iterdir())
    if path.suffix not in (".json", ".md")
]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_sample_reads_as_the_file_beside_it_says(path: Path) -> None:
    data = path.read_bytes()
    expected = json.loads(path.with_suffix(".json").read_text("utf-8"))
    if path.parent.name == "ofx":
        expected = {"source": "ofx", "statements": expected}
    importer, _ = any_importer(data)
    assert importer is not None and importer.source == expected["source"]
    assert [readable(whole) for whole in read_whole(importer, data)] == expected["statements"]
