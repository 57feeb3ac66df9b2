"""Links of saved questions opened by the programs that people paste them into, over HTTP."""

import shutil
import subprocess
import threading
from contextlib import contextmanager
from datetime import date
from wsgiref.simple_server import WSGIRequestHandler, make_server

import duckdb
import feedparser
import pandas
import pytest

from support.native_rows import account, record
from support.nightly import NIGHTLY
from support.question_links import RECORDS, Linked
from support.service import on_one_storage


class _Quiet(WSGIRequestHandler):
    def log_message(self, *arguments):
        """Write nothing."""


@contextmanager
def address_of(service):
    """Yield the address of a server of the service's application."""
    with make_server("127.0.0.1", 0, service.app, handler_class=_Quiet) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def linked(client):
    rows = [record(n, payee="Bakery", amount=-n, recordDate=f"2026-03-0{n}") for n in (1, 2)]
    client.load(account(), *rows)
    return Linked(client, RECORDS)


@on_one_storage
def test_pandas_duckdb_and_feedparser_open_a_link(linked, tmp_path):
    with address_of(linked.service) as address:
        url = f"{address}/q/{linked.secret}"
        table = pandas.read_csv(f"{url}.csv", parse_dates=["recordDate"])
        assert table["amount"].sum() == -3
        assert table["recordDate"].dt.date.max() == date(2026, 3, 2)
        assert pandas.read_excel(f"{url}.xlsx", engine="calamine").shape[0] == 2
        assert len(pandas.read_json(f"{url}.json")["records"]) == 2
        assert len(feedparser.parse(f"{url}.rss").entries) == 2
    # DuckDB reads URLs with an extension that it downloads.
    path = tmp_path / "answer.csv"
    path.write_bytes(linked.read(".csv").body)
    found = duckdb.sql(f"SELECT sum(amount), max(recordDate) FROM read_csv('{path}')").fetchall()
    assert found == [(-3, date(2026, 3, 2))]


@on_one_storage
@pytest.mark.nightly
@pytest.mark.skipif(not NIGHTLY, reason="LibreOffice takes 10 seconds: by night only")
@pytest.mark.parametrize("ending", [".csv", ".xlsx"])
def test_libreoffice_opens_a_link(linked, tmp_path, ending):
    program = shutil.which("soffice")
    if program is None:
        pytest.skip("LibreOffice is not installed")
    path = tmp_path / f"answer{ending}"
    path.write_bytes(linked.read(ending).body)
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    options = ["--headless", "--convert-to", "csv:Text - txt - csv (StarCalc):44,34,76,1"]
    command = [program, profile, *options, "--outdir", tmp_path / "out", path]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    text = (tmp_path / "out" / "answer.csv").read_text()
    assert "recordDate" in text and "2026-03-02" in text and text.count("Bakery") == 2
