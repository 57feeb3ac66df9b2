"""GET /v1/api/records/duplicates"""

from finance_api.api.data_request import Payload, Reading
from finance_api.api.listing import TableRequest
from finance_api.api.openapi.responses import TOTAL, table_response
from finance_api.api.openapi.schemas import value
from finance_api.api.parameters import ParameterSchema, data_page
from finance_api.api.service import data_service, of_resource
from finance_api.ledger.edits.report import title_of
from finance_api.ledger.matching.duplicates import Duplicate, find_duplicates, read_duplicates
from finance_api.resources import RECORDS
from finance_api.resources.common import EXAMPLE_ID, amount_field, date_field, text_field
from finance_api.resources.field import Field, Kind
from finance_api.values import Row

MAX_PAIRS = 1_000
DEFAULT_PAIRS = 100


def _side(side: str) -> tuple[Field, ...]:
    about = f"The record stored {side}"
    return (
        Field(f"{side}Id", Kind.ID, f"{about}: its id.", EXAMPLE_ID, nullable=False),
        date_field(f"{side}Date", f"{about}: its date.", nullable=False),
        text_field(
            f"{side}Name", f"{about}: date, payee or note, and amount.", "2026-01-31 Bakery -3 EUR"
        ),
    )


_COLUMNS = (
    RECORDS["accountName"],
    RECORDS["accountId"],
    amount_field("amount", "Amount of both.", -3, 0),
    RECORDS["currencyCode"],
    *_side("later"),
    *_side("earlier"),
)


_RESPONSE = table_response(
    "DuplicatePair",
    "duplicates",
    _COLUMNS,
    {"total": value("Number of pairs.", 1)},
    headers=(TOTAL,),
    is_paged=True,
)


class DuplicatesRequest(TableRequest):
    """A request for a page of the pairs of records that look like one transaction."""

    name = "duplicates"

    def read(self, reading: Reading) -> Payload:
        limit, offset = self.given["limit"], self.given["offset"]
        state = reading.storage.data.get_state(reading.user_id)
        found = find_duplicates(reading.storage, reading.user_id)
        page = found[offset : offset + limit]
        rows = [_row(pair) for pair in read_duplicates(reading.storage, reading.user_id, page)]
        has_more = len(found) > offset + limit
        total = len(found)
        return self.table(
            state,
            _COLUMNS,
            rows,
            {"total": total},
            (("X-Total-Count", str(total)),),
            has_more=has_more,
        )


def _row(pair: Duplicate) -> Row:
    row = {field.name: pair.later[field.name] for field in _COLUMNS[:4]}
    for side, record in (("later", pair.later), ("earlier", pair.earlier)):
        row[f"{side}Id"], row[f"{side}Date"] = record["id"], record["recordDate"]
        row[f"{side}Name"] = title_of(RECORDS, record)
    return row


SERVICES = (
    data_service(
        "/v1/api/records/duplicates",
        DuplicatesRequest,
        **of_resource(
            RECORDS,
            ParameterSchema(*data_page(MAX_PAIRS, DEFAULT_PAIRS)),
            _RESPONSE,
            "Records that look like duplicates.",
        ),
    ),
)
