"""GET /v1/api/records/by-id"""

from typing import Any

import orjson

from finance_api.api.data_request import DataRequest, Payload, RequestTarget
from finance_api.api.parameters import ids_schema
from finance_api.api.representation import JSON, negotiate
from finance_api.api.service import public_service
from finance_api.auth.permissions import Permission
from finance_api.resources import RECORDS
from finance_api.storage.interface import Storage


class RecordsById(DataRequest):
    """The records in the order asked for, each once; what is not the user's is missing."""

    def __init__(self, validated: dict[str, Any], target: RequestTarget) -> None:
        negotiate(target.accept, (JSON,))
        self._ids = list(dict.fromkeys(validated["id"]))
        self.text = "records/by-id\0" + ",".join(self._ids)
        self.content_type = JSON.content_type
        self.key = (target.path, target.query_string)

    def read(self, storage: Storage, user_id: int, today: int) -> Payload:
        state, rows = storage.data.get_json(user_id, RECORDS, self._ids)
        found = [body for body in rows if body]
        missing = [wanted for wanted, body in zip(self._ids, rows, strict=True) if not body]
        end = b'],"count":%d,"missingIds":%b}' % (len(found), orjson.dumps(missing))
        return Payload(state, b'{"records":[' + b",".join(found) + end)


service = public_service(
    RECORDS,
    Permission.RECORDS_READ,
    ids_schema(),
    RecordsById,
    below="/by-id",
    description="Particular records by their ids.",
)
