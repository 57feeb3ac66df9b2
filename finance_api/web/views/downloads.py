"""Downloads: all of a user's data, and the records of a list."""

from dataclasses import replace

from pyramid.httpexceptions import HTTPNotFound
from pyramid.response import Response

from finance_api.auth.auditing import note_export
from finance_api.auth.policy import Permission
from finance_api.http.compression import GZIP, gzip_chunks, takes_gzip
from finance_api.http.downloads import Chunks, download
from finance_api.http.errors import problem
from finance_api.http.requests import Request
from finance_api.http.surfaces import PUBLIC_SURFACE
from finance_api.ledger.dump import dump
from finance_api.planning.answers import Export, Reading
from finance_api.questions.asking import ask
from finance_api.resources import RECORDS
from finance_api.serialization.csv import csv_chunks
from finance_api.serialization.values import readable_first
from finance_api.serialization.xlsx import MAX_ROWS, xlsx_chunks
from finance_api.storage.interface import Storage, data_state_of
from finance_api.values.time import date_text
from finance_api.web.page import SeeOther
from finance_api.web.record_filters import RecordFilters
from finance_api.web.routes import get

_TYPES = {
    "csv": "text/csv; charset=utf-8; header=present",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


@get("export", Permission.DATA_READ)
def export(request: Request) -> Response:
    """Send all of the user's data in the native format, as ``finance-api dump`` writes it."""
    user_id = request.user.id
    name = f"finance-data-{date_text(request.now)}.ndjson"

    def begin(storage: Storage) -> tuple[Response, Chunks]:
        response = Response(content_type="application/x-ndjson", charset=None)
        response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
        response.headers["Vary"] = "Accept-Encoding"
        data_state_of(storage, user_id)
        chunks = dump(storage, user_id)
        if not takes_gzip(request.environ.get("HTTP_ACCEPT_ENCODING")):
            return response, chunks
        response.headers["Content-Encoding"] = GZIP
        return response, gzip_chunks(chunks)

    response = download(request, user_id, begin)
    note_export(request, user_id)
    return response


@get("records.download", Permission.DATA_READ)
def download_records(request: Request) -> Response:
    """Return all records that match the filters, with the fields and the order of the API."""
    filters, form = RecordFilters.of(request), request.GET.get("format", "")
    if form not in _TYPES:
        raise HTTPNotFound()
    if filters.errors:
        # The list says what is wrong.
        return SeeOther(filters.path())
    name = f"records-{date_text(request.today)}.{form}"
    asked = replace(filters.list_request, path=f"{PUBLIC_SURFACE}export/records")

    def begin(storage: Storage) -> tuple[Response, Chunks]:
        reading = Reading(storage, request.user, request.now)
        records: Export = ask(request.registry, reading, asked.target)
        if form == "xlsx" and records.count > MAX_ROWS:
            most = request.region.count(MAX_ROWS)
            detail = f"A workbook can have only {most} rows: filter for fewer, or take CSV."
            raise problem(400, detail)
        headers = [
            ("Content-Type", _TYPES[form]),
            ("Content-Disposition", f'attachment; filename="{name}"'),
        ]
        return Response(headerlist=headers), _chunks(records, form)

    response = download(request, request.user.id, begin)
    note_export(request, request.user.id)
    return response


def _chunks(records: Export, form: str) -> Chunks:
    columns = readable_first(records.columns)
    if form == "csv":
        yield from csv_chunks(columns, records.pages)
    else:
        yield from xlsx_chunks(RECORDS.name, columns, records.pages, records.count)
