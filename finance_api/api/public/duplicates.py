"""GET /v1/api/records/duplicates"""

from pyramid.response import Response

from finance_api.api import freshness, listing, parameters, responding, validation
from finance_api.api.endpoint import FORMATS, Service
from finance_api.api.openapi import responses, schemas
from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.ledger.edits.report import title_of
from finance_api.ledger.matching.duplicates import Duplicate, find_duplicates, read_duplicates
from finance_api.planning.answers import Answer, Reading
from finance_api.resources import RECORDS
from finance_api.resources.tables import DUPLICATES
from finance_api.values import Row
from finance_api.values.text import message

duplicates = Service(
    "api.records.duplicates",
    "/v1/api/records/duplicates" + FORMATS,
    "Records that look like duplicates.",
)


def duplicate_pairs(reading: Reading, values: validation.Parameters) -> Answer:
    """Return a page of the pairs of records that look like one transaction."""
    end = values["offset"] + values["limit"]
    state = reading.get_state()
    found = find_duplicates(reading.storage, reading.user_id)
    page = read_duplicates(reading.storage, reading.user_id, found[values["offset"] : end])
    rows, total = [_row(pair) for pair in page], len(found)
    headers = (("X-Total-Count", str(total)),)
    pairs = listing.table(reading, state, "duplicates", DUPLICATES, rows, {"total": total}, headers)
    return listing.paged(reading, pairs, values, has_more=total > end)


def _row(pair: Duplicate) -> Row:
    row = {field.name: pair.later[field.name] for field in DUPLICATES[:4]}
    for side, record in (("later", pair.later), ("earlier", pair.earlier)):
        row[f"{side}Id"], row[f"{side}Date"] = record["id"], record["recordDate"]
        row[f"{side}Name"] = message(title_of(RECORDS, record))
    return row


@duplicates.get(
    schema=parameters.DataSchema(*parameters.data_page(max_limit=1_000, default_limit=100)),
    permission=Permission.RECORDS_READ,
    answer=duplicate_pairs,
    response=responses.table_response(
        "DuplicatePair",
        "duplicates",
        DUPLICATES,
        {"total": schemas.value("Number of pairs.", 1)},
        headers=(responses.TOTAL,),
        is_paged=True,
    ),
    varies_with=freshness.NOTHING,
)
def list_duplicates(request: Request) -> Response:
    return responding.respond(request)
