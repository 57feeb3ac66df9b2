"""Records: GET /wallet/v1/api/records, /wallet/v1/api/records/by-id"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

import orjson
from pyramid.response import Response

from finance_api.api.endpoint import Service
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
from finance_api.wallet.accounts import base_currency, in_base_currency
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


def _mirrors(context: shapes.Context) -> dict[str, dict[str, Any]]:
    """Return record id -> the other record of its transfer (if several, the first by id)."""
    transfers = {r["id"]: r["transferId"] for r in context.rows if r["transferId"] is not None}
    ids = sorted({*transfers.values()})
    rows = _linked(context, ids, 2 * len(ids) + 1) if ids else []
    if len(rows) > 2 * len(ids):
        # One of them has more than two records, and maybe very many.
        rows = [row for transfer_id in ids for row in _linked(context, [transfer_id], 2)]
    by_transfer: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_transfer[row["transferId"]].append(row)
    document_of = _MIRROR.document_of(context)
    return {
        record_id: document_of(other)
        for record_id, transfer_id in transfers.items()
        # The first comes last, so that it wins.
        for other in reversed(by_transfer[transfer_id])
        if other["id"] != record_id
    }


def _linked(context: shapes.Context, ids: Sequence[str], limit: int) -> list[Row]:
    """Return records of these transfers, by id."""
    data, linked = context.reading.storage.data, any_of("transferId", tuple(ids))
    return data.scan_rows(context.reading.user_id, RECORDS, conditions=[linked], limit=limit)


@shapes.member_of_page("transferRecord", _MIRROR.schema)
def _mirror_record(context: shapes.Context) -> shapes.Write:
    mirrors = context.once(_mirrors)
    return lambda row: mirrors.get(row["id"])


@shapes.member_of_page(
    "transfer", shapes.or_null(_TRANSFER, "The transfer that the record belongs to."), always=True
)
def _transfer(context: shapes.Context) -> shapes.Write:
    mirrors = context.once(_mirrors)

    def write(row: Row) -> Any:
        if row["transferId"] is None:
            return shapes.NULL
        mirror = mirrors.get(row["id"])
        if mirror is None:
            return {"type": "unpaired", "transferId": row["transferId"]}
        return {"type": "paired", "transferId": row["transferId"], "mirrorRecord": mirror}

    return write


_ENVELOPE = {"envelopeId": value("20001 for transfers, otherwise left out.", _TRANSFER_ENVELOPE)}
_WITH_ENVELOPE = of_members("RecordCategory", CATEGORY_EMBED.schema["properties"] | _ENVELOPE, [])


@shapes.member_of_page("recordCategory", _WITH_ENVELOPE)
def _category(context: shapes.Context) -> shapes.Write:
    """Write the category; for transfers, with the ``envelopeId`` that marks them for clients."""
    category = category_of.write_of(context)

    def write(row: Row) -> Any:
        if row["transferId"] is None:
            return category(row)
        return {**(category(row) or {}), "envelopeId": _TRANSFER_ENVELOPE}

    return write


# -- amounts ---------------------------------------------------------------------------------------


def _conversion(context: shapes.Context) -> Conversion | None:
    """Return the conversion to one currency; None means each account's own currency."""
    target = context.given["convertTo"]
    target = base_currency(context) if target == "base" else target
    if target is None or target == "account":
        return None
    days = {start_of(Period.DAY, row["recordDate"]) for row in context.rows}
    return Conversion(context.reading.storage, target, days)


@shapes.member_of_page(
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
def _converted(context: shapes.Context) -> shapes.Write:
    if context.given.get("convertTo") is None:
        return lambda row: None
    return partial(_in_currency, _conversion(context))


def _in_currency(conversion: Conversion | None, row: Row) -> dict[str, Any]:
    currency = row["currencyCode"]
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


# -- the rest --------------------------------------------------------------------------------------


def statements(reading: Reading, numbers: Collection[int] | None = None) -> set[int]:
    """Return which of the imports with these numbers, or of all, were statement files."""
    entries = reading.storage.ledger.list_entries(reading.user_id, numbers)
    return {entry.number for entry in entries if entry.details.get("format", NATIVE) != NATIVE}


@shapes.member_of_page(
    "source",
    value("backend for records from statement files, missing for all others.", "missing"),
    always=True,
)
def _source(context: shapes.Context) -> shapes.Write:
    numbers = statements(context.reading, {row["importId"] for row in context.rows} - {None})
    return lambda row: "backend" if row["importId"] in numbers else "missing"


def parties(type_of: Callable[[Row], str | None]) -> tuple[shapes.Member, shapes.Member]:
    """Make the members of earlier versions: the payee of an expense, and the payer of income."""
    expense = shapes.member("expensePayee", value("Who was paid.", "Grocer"))
    income = shapes.member("incomePayee", value("Who paid.", "Employer"))
    return (
        expense(lambda row: row["payee"] if type_of(row) == EXPENSE else None),
        income(lambda row: row["payee"] if type_of(row) == INCOME else None),
    )


RECORD = shapes.Shape(
    RECORDS,
    "id accountId accountName accountIsBankSync amount convertedAmount category counterParty=payee "
    "note labels photos recordDate recordState recordType source transfer "
    f"{shapes.TIMES}",
    *(_AMOUNT, _converted, category_of, labels_of, _source, _transfer),
    *(*parties(itemgetter("recordType")), in_base_currency("baseAmount", _AMOUNT)),
    *(_mirror_record, _category),
    older="payee=expensePayee payer=incomePayee paymentType labelIds transferRecord baseAmount "
    "category=recordCategory",
    always={"accountIsBankSync": False, "photos": []},
)

# -- the list --------------------------------------------------------------------------------------

#: The list goes back this far if the request has no date.
_WINDOW_MONTHS = 3
_DATE_FILTERS = array_of(value("The conditions on recordDate.", "gte.2026-01-31T10:00:00.000Z"))
records = Service("wallet.records", "/wallet/v1/api/records", RECORDS.meaning)
records_by_id = Service("wallet.by-id", "/wallet/v1/api/records/by-id", "Records by their ids.")


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
    texts = []
    for condition in conditions:
        span, comparison = condition.operand, condition.operator.value
        assert isinstance(span, Span)
        low, high = comparison.bounds(span.first, span.end)
        if span.end - span.first == 1:
            texts.append(f"{comparison.word}{shapes.moment(span.first)}")
            continue
        texts += [] if low is None else [f"gte.{shapes.moment(low)}"]
        texts += [] if high is None else [f"lt.{shapes.moment(high + 1)}"]
    return texts


def _from_sources(reading: Reading, sources: Sequence[str]) -> list[Condition]:
    """Return conditions for sources: "backend" is statement files, "missing" all other records."""
    if not sources or {"backend", "missing"} <= {*sources}:
        return []
    field, numbers = RECORDS["importId"], tuple(sorted(statements(reading)))
    if "missing" in sources:
        return [Condition(field, Operator.NE_OR_NULL, numbers)] if numbers else []
    return [Condition(field, Operator.ANY_OF, numbers if "backend" in sources else ())]


# -- by id, in versions before 1.3 -----------------------------------------------------------------


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
)
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
)
def list_records(request: Request) -> Response:
    return lists.respond_with_objects(request)
