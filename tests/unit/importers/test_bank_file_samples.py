"""The samples of camt and MT940, each beside what it holds."""

import json
from pathlib import Path

import pytest

from support.bank_files import SAMPLE_FILES, reader_of
from support.whole import read_whole, readable


@pytest.mark.parametrize("path", SAMPLE_FILES, ids=lambda path: path.name)
def test_sample_reads_as_the_file_beside_it_says(path: Path) -> None:
    data = path.read_bytes()
    expected = json.loads(path.with_suffix(".json").read_text("utf-8"))
    reader = reader_of(data)
    assert reader.source == expected["source"]
    assert [readable(whole) for whole in read_whole(reader, data)] == expected["statements"]
