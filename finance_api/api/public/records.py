"""Records: GET /v1/api/records, /v1/api/records/<id>, .../by-id, /v1/api/export/records"""

from functools import partial

from pyramid.httpexceptions import HTTPException, HTTPNotFound
from pyramid.response import Response

from finance_api.api import listing, parameters, responding, validation
from finance_api.api.endpoint import FORMATS, ID, Service
from finance_api.api.openapi import responses
from finance_api.api.openapi.schemas import array_of, of_members, one_or_more, value
from finance_api.auth.policy import Permission
from finance_api.http.errors import problem
from finance_api.http.requests import Request
from finance_api.planning.answers import Answer, Document, Reading
from finance_api.query.kinds import MAX_LIST_OPERANDS, parse_ids
from finance_api.query.model import any_of
from finance_api.resources import RECORDS, SPLITS
from finance_api.resources.common import EXAMPLE_ID

records = Service("api.records", "/v1/api/records" + FORMATS, RECORDS.meaning)
record = Service("api.records.one", "/v1/api/records/" + ID, "Get one record.")
records_by_id = Service("api.records.by-id", "/v1/api/records/by-id", "Records by their ids.")
records_export = Service(
    "api.export.records", "/v1/api/export/records" + FORMATS, "Export all records."
)


def one_record(reading: Reading, values: validation.Parameters, row_id: str) -> Document:
    try:
        return listing.get_object(RECORDS, reading, values, row_id)
    except HTTPNotFound as missing:
        raise _split(reading, row_id) or missing from None


def _split(reading: Reading, row_id: str) -> HTTPException | None:
    """If a record was split, return a 410 that names its parts; None if all were deleted."""
    data, user_id = reading.storage.data, reading.user_id
    if not data.get_rows(user_id, SPLITS, [row_id]):
        return None
    parts = list(data.scan_rows(user_id, RECORDS, conditions=[any_of("splitId", [row_id])]))
    if not parts:
        return None
    detail = f"This record was split into parts: the {len(parts)} records whose splitId is its id."
    return problem(410, detail, partIds=[part["id"] for part in parts])


_WANTED = f"1 to {MAX_LIST_OPERANDS} ids"
_IDS = parameters.Listed(
    parse_ids,
    one_or_more({"type": "string", "format": "uuid"}, [EXAMPLE_ID], maxItems=MAX_LIST_OPERANDS),
)


def found_records(reading: Reading, values: validation.Parameters) -> Answer:
    """Return the records in the order of the ids, and the ids without a record."""
    ids, data = list(dict.fromkeys(values["id"])), reading.storage.data
    columns, _ = listing.columns_for(reading, RECORDS, values)
    lines, rows = None, []
    if values[parameters.CONVERT_TO] is None:
        state, found = data.get_json(reading.user_id, RECORDS, ids)
        missing = [row_id for row_id, row in zip(ids, found, strict=True) if not row]
        lines = b"\n".join(filter(None, found))
    else:
        state = reading.get_state()
        by_id = data.get_rows(reading.user_id, RECORDS, ids)
        missing = [row_id for row_id in ids if row_id not in by_id]
        rows = [by_id[row_id] for row_id in ids if row_id in by_id]
        rows = listing.converted(reading, RECORDS, rows, values)
    return Answer(
        state=state,
        name=RECORDS.name,
        columns=columns,
        rows=rows,
        lines=lines,
        resource=RECORDS,
        members={"count": len(ids) - len(missing), "missingIds": missing},
    )


@records.get(
    schema=parameters.ListSchema(RECORDS),
    permission=Permission.RECORDS_READ,
    answer=partial(listing.list_page, RECORDS),
    response=responses.list_response(RECORDS),
    savable=True,
)
@record.get(
    schema=parameters.ObjectSchema(RECORDS),
    permission=Permission.RECORDS_READ,
    answer=one_record,
    response=responses.object_response(RECORDS, problems=(410,)),
)
@records_by_id.get(
    schema=parameters.ObjectSchema(
        RECORDS, parameters.required("id", _IDS, _WANTED, f"{_WANTED}, repeated or between commas.")
    ),
    permission=Permission.RECORDS_READ,
    answer=found_records,
    response=responses.ResponseDescription(
        of_members(
            "RecordsById",
            {
                RECORDS.name: array_of(responses.row_schema(RECORDS)),
                "count": value("Number of records found.", 1),
                "missingIds": {
                    **array_of({"type": "string", "format": "uuid"}),
                    "description": "Ids without a record.",
                    "examples": [[EXAMPLE_ID]],
                },
            },
        )
    ),
)
@records_export.get(
    schema=parameters.ExportSchema(RECORDS),
    permission=Permission.RECORDS_READ,
    answer=partial(listing.export, RECORDS),
    response=responses.export_response(RECORDS),
    savable=True,
)
def read_records(request: Request) -> Response:
    return responding.respond(request)
