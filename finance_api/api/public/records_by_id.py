"""GET /v1/api/records/by-id"""

import orjson
from pyramid.response import Response

from finance_api.api.columns import Columns
from finance_api.api.conditional import respond
from finance_api.api.data_request import DataRequest, Payload, RequestTarget
from finance_api.api.openapi.responses import ResponseDescription, row_schema
from finance_api.api.openapi.schemas import array_of, of_members, value
from finance_api.api.parameters import ids_schema
from finance_api.api.representation import JSON, negotiate
from finance_api.api.service import Service, public
from finance_api.auth.permissions import Permission
from finance_api.http.requests import Request
from finance_api.resources import RECORDS
from finance_api.resources.common import EXAMPLE_ID
from finance_api.resources.wire import RowEncoder, shown
from finance_api.storage.interface import Storage


class RecordsByIdRequest(DataRequest):
    """Records in the order of the requested ids, without duplicates; and the unknown ids."""

    def __init__(self, target: RequestTarget) -> None:
        negotiate(target.accept, (JSON,))
        self._ids = list(dict.fromkeys(target.parameters["id"]))
        self._columns = Columns(RECORDS, target.parameters)
        self.convert_to = self._columns.convert_to
        ids = ",".join(self._ids)
        self.text = f"records/by-id\0{ids}{self._columns.text}"
        self.content_type = JSON.content_type
        self.key = (target.path, target.query_string)
        self.is_cheap = self._columns.are_stored

    def read(self, storage: Storage, user_id: int, today: int) -> Payload:
        columns = self._columns
        if columns.are_stored:
            state, rows = storage.data.get_json(user_id, RECORDS, self._ids)
            missing = [wanted for wanted, row in zip(self._ids, rows, strict=True) if not row]
            lines = shown(RECORDS, columns.shown, b"\n".join(filter(None, rows)))
        else:
            state = storage.data.get_state(user_id)
            found = storage.data.get_rows(user_id, RECORDS, self._ids)
            missing = [wanted for wanted in self._ids if wanted not in found]
            there = [found[wanted] for wanted in self._ids if wanted in found]
            lines = RowEncoder(columns.shown).lines(columns.converted(storage, there, today))
        count = len(self._ids) - len(missing)
        end = b'],"count":%d,"missingIds":%b}' % (count, orjson.dumps(missing))
        return Payload(state, b'{"records":[' + lines.replace(b"\n", b",") + end)


_RESPONSE = ResponseDescription(
    of_members(
        "RecordsById",
        {
            RECORDS.name: array_of(row_schema(RECORDS)),
            "count": value({"type": "integer"}, "How many of them there are.", 1),
            "missingIds": value(
                array_of({"type": "string", "format": "uuid"}),
                "The ids of which there is no record.",
                [EXAMPLE_ID],
            ),
        },
    )
)

records_by_id = Service(
    "public records/by-id",
    "/v1/api/records/by-id",
    **public(
        RECORDS,
        Permission.RECORDS_READ,
        ids_schema(RECORDS),
        "Particular records by their ids.",
        _RESPONSE,
    ),
)


@records_by_id.get()
def get_records_by_id(request: Request) -> Response:
    return respond(request, RecordsByIdRequest)
