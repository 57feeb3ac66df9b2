"""GET /wallet/v1/api/records/by-id, of versions before 1.3"""

from typing import Any

from pyramid.response import Response

from finance_api.api.conditional import respond
from finance_api.api.data_request import DataRequest, Payload, Reading, RequestTarget
from finance_api.api.openapi.responses import ResponseDescription
from finance_api.api.openapi.schemas import array_of, of_members, value
from finance_api.api.representation import HeaderItems
from finance_api.api.service import Service, of_resource
from finance_api.api.wallet import hints
from finance_api.api.wallet.context import Context, mirrors_of, names_of_state
from finance_api.api.wallet.members import documents, dumps, object_schema
from finance_api.api.wallet.objects import RECORD
from finance_api.api.wallet.parameters import required_ids
from finance_api.api.wallet.responses import OF_LIST, state_headers
from finance_api.api.wallet.schemas import COUNT, HINTS, text
from finance_api.http.requests import Request
from finance_api.http.surfaces import WALLET_SURFACE
from finance_api.query.parse import MAX_LIST_OPERANDS
from finance_api.resources import RECORDS
from finance_api.storage.interface import DataState


class WalletRecordsByIdRequest(DataRequest):
    """Records in the order of the ids, void ones too."""

    is_cheap = True

    def __init__(self, has_older: bool, target: RequestTarget) -> None:
        super().__init__(target)
        self._has_older = has_older
        self.own_text = str(has_older)

    def state_headers(self, state: DataState) -> HeaderItems:
        return state_headers(state)

    def read(self, reading: Reading) -> Payload:
        storage, user_id, ids = reading.storage, reading.user_id, self.given["id"]
        state = storage.data.get_state(user_id)
        found = storage.data.get_rows(user_id, RECORDS, [text.lower() for text in ids])
        wanted = dict.fromkeys(text.lower() for text in ids)
        rows = [found[row_id] for row_id in wanted if row_id in found]
        missing = [text for text in ids if text.lower() not in found]
        context = Context(
            names_of_state(storage, user_id, state),
            self.given,
            has_older=self._has_older,
            mirrors=mirrors_of(storage, user_id, rows),
        )
        answer: dict[str, Any] = {
            "records": documents(RECORD, rows, context),
            "count": len(rows),
        }
        if missing:
            answer["missingIds"] = missing
        if missing and self.given["agentHints"]:
            answer["agentHints"] = [hints.partial_match(missing)]
        return Payload(state, dumps(answer))


def get_records_by_id(request: Request) -> Response:
    has_older = request.registry.settings["finance_api.wallet.older_names"]
    return respond(request, WalletRecordsByIdRequest, has_older)


_RESPONSE = ResponseDescription(
    of_members(
        "RecordsById",
        {
            "records": array_of(object_schema(RECORDS.model_type, RECORD)),
            "count": value(COUNT, "How many were found.", 1),
            "missingIds": array_of(text("An id that nothing has.", "4711")),
            "agentHints": HINTS,
        },
        ["records", "count"],
    ),
    headers=OF_LIST,
)
SERVICES = (
    Service(
        f"{WALLET_SURFACE}records/by-id",
        get_records_by_id,
        **of_resource(
            RECORDS, required_ids(MAX_LIST_OPERANDS), _RESPONSE, "Particular records by their ids."
        ),
    ),
)
