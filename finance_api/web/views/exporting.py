"""The export of all data."""

from pyramid.response import Response

from finance_api.auth.auditing import note_export
from finance_api.auth.policy import Permission
from finance_api.http.compression import GZIP, gzip_chunks, takes_gzip
from finance_api.http.downloads import Chunks, download
from finance_api.http.requests import Request
from finance_api.ledger.dump import dump
from finance_api.storage.interface import Storage, data_state_of
from finance_api.values.time import date_text
from finance_api.web.page import identity_of
from finance_api.web.routes import get


@get("export", Permission.DATA_READ)
def export(request: Request) -> Response:
    """All of the user's data in the native format, as ``finance-api dump`` writes it."""
    user_id = identity_of(request).user.id
    name = f"finance-data-{date_text(request.services.clock.now())}.ndjson"

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
