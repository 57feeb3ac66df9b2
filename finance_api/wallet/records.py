"""Records: GET /wallet/v1/api/records, /wallet/v1/api/records/by-id"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import orjson
from pyramid.response import Response

from finance_api.api.endpoint import Service
from finance_api.api.freshness import NOTHING
from finance_api.api.openapi.responses import ResponseDescription
from finance_api.api.openapi.schemas import array_of, of_given, of_members, value
from finance_api.api.validation import Parameters
from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.importers import NATIVE
from finance_api.planning.answers import Document, Reading
from finance_api.planning.conversion import Conversion, no_rate
from finance_api.query.kinds import MAX_LIST_OPERANDS
from finance_api.query.model import NOT_VOID, Condition, Span, any_of, condition_on
from finance_api.query.operators import Operator
from finance_api.resources import RECORDS
from finance_api.resources.common import EXPENSE, INCOME
from finance_api.values import Row
from finance_api.values.number import rounded
from finance_api.values.time import DAY_SECONDS, Period, date_text, months_before, start_of
from finance_api.wallet import lists, parameters, responses, shapes
from finance_api.wallet.accounts import base_currency
from finance_api.wallet.categories import CATEGORY_EMBED, category_of, labels_of

#: Decimals of the ratio of a conversion.
_RATIO_DECIMALS = 10
#: The category.envelopeId of a transfer in earlier versions.
_TRANSFER_ENVELOPE = 20001

# -- transfers -------------------------------------------------------------------------------------

_AMOUNT = shapes.money(RECORDS["amount"])
_MIRROR = shapes.Shape(
    RECORDS, "id accountId amount counterParty=payee note", _AMOUNT, title="MirrorRecord"
)
_TRANSFER = of_members(
    "Transfer",
    {
        "type": shapes.one_of(
            "Whether the other record of the transfer exists.", "paired", "unpaired"
        ),
        "transferId": of_given(RECORDS["transferId"]),
        "mirrorRecord": _MIRROR.schema,
    },
    ["type", "transferId"],
)


def _mirrors(context: shapes.Context) -> dict[str, Row]:
    """Return record id -> the other record of its transfer (if several, the first by id)."""
    transfers = {r["id"]: r["transferId"] for r in context.rows if r["transferId"] is not None}
    ids = sorted({*transfers.values()})
    if not ids:
        return {}
    rows = _linked(context, ids, 2 * len(ids) + 1)
    if len(rows) > 2 * len(ids):
        # One of them has more than two records, and maybe very many.
        rows = [row for transfer_id in ids for row in _linked(context, [transfer_id], 2)]
    by_transfer: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_transfer[row["transferId"]].append(row)
    mirrors: dict[str, Row] = {}
    for record_id, transfer_id in transfers.items():
        for other in by_transfer[transfer_id]:
            if other["id"] != record_id:
                mirrors.setdefault(record_id, other)
    return mirrors


def _linked(context: shapes.Context, ids: Sequence[str], limit: int) -> list[Row]:
    """Return records of these transfers, by id."""
    data, linked = context.reading.storage.data, any_of("transferId", tuple(ids))
    return data.scan_rows(context.reading.user_id, RECORDS, conditions=[linked], limit=limit)


@shapes.member("transferRecord", _MIRROR.schema)
def _mirror_record(row: Row, context: shapes.Context) -> Any:
    mirror = context.once(_mirrors).get(row["id"])
    return None if mirror is None else _MIRROR.documents([mirror], context)[0]


@shapes.member(
    "transfer",
    shapes.or_null(_TRANSFER, "The transfer that the record belongs to."),
    always=True,
    nullable=True,
)
def _transfer(row: Row, context: shapes.Context) -> Any:
    if row["transferId"] is None:
        return None
    mirror = _mirror_record.write(row, context)
    transfer = {"type": "unpaired" if mirror is None else "paired", "transferId": row["transferId"]}
    return transfer if mirror is None else {**transfer, "mirrorRecord": mirror}


_ENVELOPE = {"envelopeId": value("20001 for transfers, otherwise left out.", _TRANSFER_ENVELOPE)}
_WITH_ENVELOPE = of_members("RecordCategory", CATEGORY_EMBED.schema["properties"] | _ENVELOPE, [])


@shapes.member("recordCategory", _WITH_ENVELOPE)
def _category(row: Row, context: shapes.Context) -> Any:
    """Return the category; for transfers, with the ``envelopeId`` that marks them for clients."""
    found = category_of.write(row, context)
    is_transfer = row["transferId"] is not None
    return {**(found or {}), "envelopeId": _TRANSFER_ENVELOPE} if is_transfer else found


# -- amounts ---------------------------------------------------------------------------------------


def _conversion(context: shapes.Context) -> Conversion | None:
    """Return the conversion to one currency; None means each account's own currency."""
    target = context.given["convertTo"]
    target = context.once(base_currency) if target == "base" else target
    if target is None or target == "account":
        return None
    days = {start_of(Period.DAY, row["recordDate"]) for row in context.rows}
    return Conversion(context.reading.storage, target, days)


@shapes.member(
    "convertedAmount",
    of_members(
        "ConvertedAmount",
        {
            "value": value("The amount in that currency.", -1032.5),
            "ratio": value("The exchange rate used.", 24.3),
            "currencyCode": shapes.CURRENCY,
            "conversionPair": value("The original and the new currency.", "EUR:CZK"),
            "error": value(
                "Why the amount could not be converted.", no_rate("EUR", "CZK", "2026-01-31")
            ),
        },
        ["currencyCode"],
    ),
)
def _converted(row: Row, context: shapes.Context) -> Any:
    if context.given.get("convertTo") is None:
        return None
    conversion, currency = context.once(_conversion), row["currencyCode"]
    if conversion is None or conversion.target == currency:
        return {"value": shapes.decimal(row["amount"]), "ratio": 1, "currencyCode": currency}
    at = start_of(Period.DAY, row["recordDate"])
    rate, target = conversion.rate(currency, at), conversion.target
    pair = {"currencyCode": target, "conversionPair": f"{currency}:{target}"}
    if rate is None:
        return {**pair, "error": no_rate(currency, target, date_text(at))}
    return {
        "value": shapes.decimal(conversion.convert(row["amount"], currency, at)),
        "ratio": shapes.decimal(rounded(rate[0] * 10**_RATIO_DECIMALS, rate[1]), _RATIO_DECIMALS),
        **pair,
    }


@shapes.member("baseAmount", shapes.MONEY)
def _base_amount(row: Row, context: shapes.Context) -> Any:
    """Return the amount only if it is in the base currency: no rate is guessed."""
    base = context.once(base_currency)
    return shapes.amount(row["amount"], base) if row["currencyCode"] == base else None


# -- the rest --------------------------------------------------------------------------------------


def statements(reading: Reading, numbers: Collection[int] | None = None) -> set[int]:
    """Return which of the imports with these numbers, or of all, were statement files."""
    entries = reading.storage.ledger.list_entries(reading.user_id, numbers)
    return {entry.number for entry in entries if entry.details.get("format", NATIVE) != NATIVE}


def _statements(context: shapes.Context) -> set[int]:
    return statements(context.reading, {row["importId"] for row in context.rows} - {None})


@shapes.member(
    "source",
    value("backend for records from statement files, missing for all others.", "missing"),
    always=True,
)
def _source(row: Row, context: shapes.Context) -> Any:
    return "backend" if row["importId"] in context.once(_statements) else "missing"


def parties(record_type: shapes.Write) -> tuple[shapes.Member, shapes.Member]:
    """Make the members of earlier versions: the payee of an expense, and the payer of income."""

    def party(kind: str) -> shapes.Write:
        return lambda row, context: row["payee"] if record_type(row, context) == kind else None

    return (
        shapes.Member("expensePayee", party(EXPENSE), value("Who was paid.", "Grocer")),
        shapes.Member("incomePayee", party(INCOME), value("Who paid.", "Employer")),
    )


RECORD = shapes.Shape(
    RECORDS,
    "id accountId accountName accountIsBankSync amount convertedAmount category counterParty=payee "
    "note labels photos recordDate recordState recordType source transfer "
    f"{shapes.TIMES}",
    *(_AMOUNT, _converted, category_of, labels_of, _source, _transfer),
    *(*parties(lambda row, _: row["recordType"]), _mirror_record, _base_amount, _category),
    older="payee=expensePayee payer=incomePayee paymentType labelIds transferRecord baseAmount "
    "category=recordCategory",
    always={"accountIsBankSync": False, "photos": []},
)

# -- the list --------------------------------------------------------------------------------------

#: The list goes back this far if the request has no date.
_WINDOW_MONTHS = 3
_DATE_FILTERS = array_of(value("The conditions on recordDate.", "gte.2026-01-31T10:00:00.000Z"))
records = Service("wallet.records", "/wallet/v1/api/records", RECORDS.meaning)


def records_page(reading: Reading, values: Parameters, asked: lists.Asked) -> Document:
    window = _window(asked.minute) if asked.minute else []
    return lists.list_page(
        RECORD,
        reading,
        values,
        # Records show the names of categories and labels to every token.
        asked._replace(hidden=()),
        base=() if values["recordState"] else (NOT_VOID,),
        further=(*window, *_from_sources(reading, values["source"])),
        dates=_applied(values["recordDate"]),
        inferred=_applied(window),
    )


def _window(now: int) -> list[Condition]:
    """Return conditions for the records from 3 months before now to 24 hours after it."""
    day = now - now % DAY_SECONDS
    first = months_before(day, _WINDOW_MONTHS) + now - day
    bounds = ((Operator.GTE, first), (Operator.LT, now + DAY_SECONDS))
    return [condition_on(RECORDS, "recordDate", o, Span(at, at + 1)) for o, at in bounds]


def _applied(conditions: Iterable[Condition]) -> list[str]:
    """Return conditions on dates as texts, with instants as operands."""
    return [text for condition in conditions for text in _texts(condition)]


def _texts(condition: Condition) -> Iterator[str]:
    span, operator = condition.operand, condition.operator
    assert isinstance(span, Span)
    if span.end - span.first == 1:
        yield f"{operator.value.word}{shapes.moment(span.first)}"
        return
    if operator in (Operator.EQ, Operator.GTE, Operator.GT):
        yield f"gte.{shapes.moment(span.end if operator is Operator.GT else span.first)}"
    if operator in (Operator.EQ, Operator.LTE, Operator.LT):
        yield f"lt.{shapes.moment(span.first if operator is Operator.LT else span.end)}"


def _from_sources(reading: Reading, sources: Sequence[str]) -> list[Condition]:
    """Return conditions for sources: "backend" is statement files, "missing" all other records."""
    if not sources or {"backend", "missing"} <= {*sources}:
        return []
    field, numbers = RECORDS["importId"], tuple(sorted(statements(reading)))
    if "missing" in sources:
        return [Condition(field, Operator.NE_OR_NULL, numbers)] if numbers else []
    return [Condition(field, Operator.ANY_OF, numbers if "backend" in sources else ())]


@records.get(
    schema=parameters.ListSchema(
        RECORDS,
        "recordDate note amount counterParty=payee accountId labelId=labelIds transferId "
        "recordType recordState paymentType",
        parameters.by_category(RECORDS["categoryId"]),
        parameters.is_given("isTransfer", RECORDS["transferId"]),
        parameters.SOURCE,
        parameters.CONVERT_TO,
        parameters.party("payee", EXPENSE),
        parameters.party("payer", INCOME),
        sorts=("recordDate", "amount"),
    ),
    permission=Permission.RECORDS_READ,
    answer=records_page,
    response=lists.page_response(RECORD, appliedRecordDateFilters=_DATE_FILTERS),
    varies_with=NOTHING,
)
def list_records(request: Request) -> Response:
    return lists.respond_with_objects(request)


# -- by id, in versions before 1.3 -----------------------------------------------------------------

records_by_id = Service("wallet.by-id", "/wallet/v1/api/records/by-id", "Records by their ids.")


class RecordIdsSchema(parameters.IdsSchema):
    def is_cheap(self, values: Parameters) -> bool:
        return True


def found_records(reading: Reading, values: Parameters, asked: lists.Asked) -> Document:
    """Return records in the order of their ids, including void records."""
    state, wanted = reading.get_state(), values["id"]
    ids = list(dict.fromkeys(row_id.lower() for row_id in wanted))
    by_id = reading.storage.data.get_rows(reading.user_id, RECORDS, ids)
    rows = [by_id[row_id] for row_id in ids if row_id in by_id]
    missing = [row_id for row_id in wanted if row_id.lower() not in by_id]
    context = shapes.Context(reading, state, values, rows, asked.has_older)
    answer: dict[str, Any] = {"records": RECORD.documents(rows, context), "count": len(rows)}
    if missing:
        answer["missingIds"] = missing
    if missing and values["agentHints"]:
        answer["agentHints"] = [lists.partial_match(missing)]
    return Document(state, orjson.dumps(answer))


@records_by_id.get(
    schema=RecordIdsSchema(MAX_LIST_OPERANDS),
    permission=Permission.RECORDS_READ,
    answer=found_records,
    response=ResponseDescription(
        of_members(
            "RecordsById",
            {
                "records": array_of(RECORD.schema),
                "count": value("Number of records found.", 1),
                "missingIds": array_of(value("An id without a record.", "4711")),
                "agentHints": lists.HINTS,
            },
            ["records", "count"],
        ),
        headers=responses.OF_LIST,
        state_headers=responses.state_headers,
    ),
    varies_with=NOTHING,
)
def get_records(request: Request) -> Response:
    return lists.respond_with_objects(request)
