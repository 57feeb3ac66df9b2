"""An exported table that comes back is refused, with a pointer to the export that can come back."""

import io

import pytest

from finance_api.importers.formats import detect_format
from finance_api.importers.interface import ImportRefused
from support.csv_files import read, refusal
from support.native_rows import household
from support.service import on_one_storage


def read_again(body):
    """Read a file in the format that its content has, without options."""
    stream = io.BytesIO(body)
    importer = detect_format(stream).new_importer(stream, {})
    list(importer.read(stream))


@on_one_storage
@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_exported_records_are_refused_and_point_to_the_whole_export(client, ending):
    client.load(*household())
    for path in (f"export/records.{ending}", f"records.{ending}"):
        with pytest.raises(ImportRefused, match=r"import /v1/api/export/all\.ndjson instead"):
            read_again(client.get(path).body)


def test_columns_that_the_user_names_are_read_all_the_same():
    table = "accountId,recordDate,recordState,importId,amount\n1,2026-03-01,cleared,2,-5\n"
    assert "exported by finance-api" in refusal(table).reason
    ignored = ("accountId", "recordState", "importId")
    columns = {"recordDate": "recordDate", "amount": "amount"}
    (found,) = read(table, columns=columns, ignore=ignored, account="X", currency="EUR")
    assert len(found.entries) == 1
