"""Records below /wallet: transfers, converted amounts, where records come from."""

from collections.abc import Collection
from typing import Any

from finance_api.api.openapi.schemas import of_given, of_members, value
from finance_api.importers import NATIVE
from finance_api.planning.answers import Reading
from finance_api.planning.conversion import Conversion, no_rate
from finance_api.resources import RECORDS
from finance_api.values import Row
from finance_api.values.number import rounded
from finance_api.values.time import Period, date_text, start_of
from finance_api.wallet.members import (
    CURRENCY,
    MONEY,
    TIMES,
    Context,
    Shape,
    amount,
    decimal,
    member,
    members,
    money,
    or_null,
)
from finance_api.wallet.names import CATEGORY_EMBED, base_currency, category, labels, parties

#: Decimals of the ratio of a conversion.
_RATIO_DECIMALS = 10
#: The category.envelopeId of a transfer in earlier versions.
_TRANSFER_ENVELOPE = 20001

# -- transfers -------------------------------------------------------------------------------------

_AMOUNT = money("amount", RECORDS["amount"])
_MIRROR = Shape(
    "MirrorRecord", members(RECORDS, "id accountId amount counterParty=payee note", _AMOUNT)
)
_TRANSFER = of_members(
    "Transfer",
    {
        "type": value(
            "Whether the other record of the transfer exists.",
            "paired",
            enum=["paired", "unpaired"],
        ),
        "transferId": of_given(RECORDS["transferId"]),
        "mirrorRecord": _MIRROR.schema,
    },
    ["type", "transferId"],
)


def _mirrors(context: Context) -> dict[str, Row]:
    """Return record id -> the other record of its transfer (if several, the first by id)."""
    transfers = {r["id"]: r["transferId"] for r in context.rows if r["transferId"] is not None}
    if not transfers:
        return {}
    reading = context.reading
    found = reading.storage.data.get_transfers(reading.user_id, set(transfers.values()))
    mirrors: dict[str, Row] = {}
    for record_id, transfer_id in transfers.items():
        for other in found.get(transfer_id, ()):
            if other["id"] != record_id:
                mirrors.setdefault(record_id, other)
    return mirrors


@member("transferRecord", _MIRROR.schema)
def _mirror_record(row: Row, context: Context) -> Any:
    mirror = context.once(_mirrors).get(row["id"])
    return None if mirror is None else _MIRROR.documents([mirror], context)[0]


@member(
    "transfer",
    or_null(_TRANSFER, "The transfer that the record belongs to."),
    is_optional=False,
    nullable=True,
)
def _transfer(row: Row, context: Context) -> Any:
    if row["transferId"] is None:
        return None
    mirror = _mirror_record.write(row, context)
    transfer = {"type": "unpaired" if mirror is None else "paired", "transferId": row["transferId"]}
    return transfer if mirror is None else {**transfer, "mirrorRecord": mirror}


@member(
    "category",
    of_members(
        "RecordCategory",
        {
            **CATEGORY_EMBED.schema["properties"],
            "envelopeId": value("20001 for transfers, otherwise left out.", _TRANSFER_ENVELOPE),
        },
        [],
    ),
)
def _category(row: Row, context: Context) -> Any:
    """Return the category; for transfers, with the ``envelopeId`` that marks them for clients."""
    found = category.write(row, context)
    is_transfer = row["transferId"] is not None
    return {**(found or {}), "envelopeId": _TRANSFER_ENVELOPE} if is_transfer else found


# -- amounts ---------------------------------------------------------------------------------------


def _conversion(context: Context) -> Conversion | None:
    """Return the conversion to one currency; None means each account's own currency."""
    target = context.given["convertTo"]
    target = context.once(base_currency) if target == "base" else target
    if target is None or target == "account":
        return None
    days = {start_of(Period.DAY, row["recordDate"]) for row in context.rows}
    return Conversion(context.reading.storage, target, days)


@member(
    "convertedAmount",
    of_members(
        "ConvertedAmount",
        {
            "value": value("The amount in that currency.", -1032.5),
            "ratio": value("The exchange rate used.", 24.3),
            "currencyCode": CURRENCY,
            "conversionPair": value("The original and the new currency.", "EUR:CZK"),
            "error": value(
                "Why the amount could not be converted.", no_rate("EUR", "CZK", "2026-01-31")
            ),
        },
        ["currencyCode"],
    ),
)
def _converted(row: Row, context: Context) -> Any:
    if context.given.get("convertTo") is None:
        return None
    conversion, currency = context.once(_conversion), row["currencyCode"]
    if conversion is None or conversion.target == currency:
        return {"value": decimal(row["amount"]), "ratio": 1, "currencyCode": currency}
    at = start_of(Period.DAY, row["recordDate"])
    rate, target = conversion.rate(currency, at), conversion.target
    pair = {"currencyCode": target, "conversionPair": f"{currency}:{target}"}
    if rate is None:
        return {**pair, "error": no_rate(currency, target, date_text(at))}
    return {
        "value": decimal(conversion.convert(row["amount"], currency, at)),
        "ratio": decimal(rounded(rate[0] * 10**_RATIO_DECIMALS, rate[1]), _RATIO_DECIMALS),
        **pair,
    }


@member("baseAmount", MONEY)
def _base_amount(row: Row, context: Context) -> Any:
    """Return the amount only if it is in the base currency: no rate is guessed."""
    base = context.once(base_currency)
    return amount(row["amount"], base) if row["currencyCode"] == base else None


# -- the rest --------------------------------------------------------------------------------------


def statements(reading: Reading, numbers: Collection[int] | None = None) -> set[int]:
    """Return which of the imports with these numbers, or of all, were statement files."""
    entries = reading.storage.history.list_entries(reading.user_id, numbers)
    return {entry.number for entry in entries if entry.details.get("format", NATIVE) != NATIVE}


def _statements(context: Context) -> set[int]:
    return statements(context.reading, {row["importId"] for row in context.rows} - {None})


@member(
    "source",
    value("backend for records from statement files, missing for all others.", "missing"),
    is_optional=False,
)
def _source(row: Row, context: Context) -> Any:
    return "backend" if row["importId"] in context.once(_statements) else "missing"


RECORD = Shape(
    "Record",
    members(
        RECORDS,
        "id accountId accountName accountIsBankSync amount convertedAmount category "
        "counterParty=payee note labels photos recordDate recordState recordType source transfer "
        f"{TIMES}",
        *(_AMOUNT, _converted, category, labels, _source, _transfer),
        always={"accountIsBankSync": False, "photos": []},
    ),
    members(
        RECORDS,
        "payee payer paymentType labelIds transferRecord baseAmount category",
        *parties(lambda row, _: row["recordType"]),
        *(_mirror_record, _base_amount, _category),
    ),
)
