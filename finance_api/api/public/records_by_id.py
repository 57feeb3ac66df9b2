"""GET /v1/api/records/by-id"""

import orjson
from cornice import Service
from pyramid.response import Response

from finance_api.api.conditional import respond
from finance_api.api.data_request import DataRequest, Payload, RequestTarget
from finance_api.api.parameters import ids_schema
from finance_api.api.representation import JSON, negotiate
from finance_api.api.service import public
from finance_api.auth.permissions import Permission
from finance_api.query.render import fields_text
from finance_api.requests import Request
from finance_api.resources import RECORDS
from finance_api.resources.wire import shown
from finance_api.storage.interface import Storage


class RecordsByIdRequest(DataRequest):
    """Records in the order of the requested ids, without duplicates; and the unknown ids."""

    def __init__(self, target: RequestTarget) -> None:
        negotiate(target.accept, (JSON,))
        self._ids = list(dict.fromkeys(target.parameters["id"]))
        self._fields = target.parameters["fields"]
        ids = ",".join(self._ids)
        self.text = f"records/by-id\0{ids}{fields_text(RECORDS, self._fields)}"
        self.content_type = JSON.content_type
        self.key = (target.path, target.query_string)

    def read(self, storage: Storage, user_id: int, today: int) -> Payload:
        state, rows = storage.data.get_json(user_id, RECORDS, self._ids)
        found = shown(RECORDS, self._fields, b"\n".join(filter(None, rows)))
        missing = [wanted for wanted, body in zip(self._ids, rows, strict=True) if not body]
        count = len(self._ids) - len(missing)
        end = b'],"count":%d,"missingIds":%b}' % (count, orjson.dumps(missing))
        return Payload(state, b'{"records":[' + found.replace(b"\n", b",") + end)


records_by_id = Service(
    "public records/by-id",
    "/v1/api/records/by-id",
    **public(
        RECORDS, Permission.RECORDS_READ, ids_schema(RECORDS), "Particular records by their ids."
    ),
)


@records_by_id.get()
def get_records_by_id(request: Request) -> Response:
    return respond(request, RecordsByIdRequest)
