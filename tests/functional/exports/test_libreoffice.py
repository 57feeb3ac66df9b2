"""Workbooks in LibreOffice: converted to OpenDocument, whose content names what it found."""

import shutil
import subprocess
import zipfile
from decimal import Decimal
from xml.etree import ElementTree

import pytest

from support.native_rows import account, record
from support.nightly import NIGHTLY

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(not NIGHTLY, reason="LibreOffice takes 10 seconds: by night only"),
]

_OFFICE, _TABLE = (
    f"{{urn:oasis:names:tc:opendocument:xmlns:{n}:1.0}}" for n in ("office", "table")
)


def test_libreoffice_finds_a_table_with_amounts_dates_and_texts(client, tmp_path):
    program = shutil.which("soffice")
    if program is None:
        pytest.skip("LibreOffice is not installed")
    client.load(
        account(1, currencyCode="JPY"),
        record(1, amount=Decimal("-1234"), recordDate="2026-03-01", payee='=HYPERLINK("x")'),
    )
    path = tmp_path / "records.xlsx"
    path.write_bytes(client.get("export/records.xlsx").body)
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    command = [program, profile, "--headless", "--convert-to", "ods", "--outdir", tmp_path, path]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    with zipfile.ZipFile(tmp_path / "records.ods") as parts:
        root = ElementTree.fromstring(parts.read("content.xml"))
    (table,) = root.iter(f"{_TABLE}database-range")
    assert table.get(f"{_TABLE}name") == "records"
    assert table.get(f"{_TABLE}display-filter-buttons") == "true"
    cells = [cell for cell in root.iter(f"{_TABLE}table-cell") if len(cell)]
    assert not [cell for cell in cells if cell.get(f"{_TABLE}formula")]
    row = {cell[0].text: cell.get(f"{_OFFICE}value-type") for cell in cells}
    assert row["2026-03-01"] == "date"
    assert row["-1,234 JPY"] == "currency"
    assert row['=HYPERLINK("x")'] == "string"
