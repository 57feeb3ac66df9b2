"""Parses what several hledger commands print, one after the other in one file.

These are ``accounts --types`` and ``prices`` as lines of text, and the JSON of ``print`` and
``balance``: lists of transactions, and of balances.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from sys import intern
from typing import Any, BinaryIO, NamedTuple

from finance_api.importers.books.double_entry.model import Leg, Transaction, imbalance
from finance_api.importers.books.json_stream import JsonDamaged, JsonStream, NotUtf8
from finance_api.importers.books.reading import parse_day
from finance_api.importers.interface import ImportRefused, quoted

#: A printed transaction has this key before its amounts.
_OWN_KEY = '"tdescription"'
_TYPE = re.compile(r"(?P<account>.*?\S)\s*; type: ?(?P<type>[A-Z]?)\s*")
#: Where the first transaction begins, at the latest.
_HEAD_BYTES = 1 << 20
_PRICE = re.compile(r"P [0-9]{4}-")
_STATES = {"Cleared": "cleared", "Pending": "uncleared", "Unmarked": None}
_REAL_KINDS = {"RegularPosting": True, "VirtualPosting": False, "BalancedVirtualPosting": False}
#: Tags that hledger reads itself.
_OWN_TAGS = {"date", "date2", "type", "t", "generated-transaction", "_generated-transaction"}
#: The comment that hledger adds to what a periodic rule generates.
_GENERATED = "generated-transaction:"
_MOST_PLACES = 255


class AccountType(NamedTuple):
    """A line of ``accounts --types``. type: a letter; "" if hledger does not know."""

    account: str
    type: str


def looks_like_hledger(stream: BinaryIO) -> bool:
    """Return whether a file is what hledger prints. The stream is rewound."""
    head = stream.read(_HEAD_BYTES).decode(errors="replace")
    stream.seek(0)
    lines = head.removeprefix("\ufeff").partition("[")[0]
    are_known = all(map(_parse_line, filter(None, map(str.strip, lines.splitlines()))))
    return are_known and _OWN_KEY in head


def _parse_line(line: str) -> AccountType | str | None:
    """Return a line of ``accounts --types``, or one of ``prices`` as it is."""
    if match := _TYPE.fullmatch(line):
        return AccountType(match["account"], match["type"])
    return line if _PRICE.match(line) else None


def printed_parts(stream: BinaryIO) -> Iterator[Any]:
    """Yield the lines of text, and the elements of all lists: dicts are transactions, lists the
    rows and totals of balances. Raises ImportRefused.
    """
    text = JsonStream(stream)
    try:
        while character := text.next():
            if character == "[":
                yield from text.elements()
                continue
            line = text.line().strip()
            part = _parse_line(line)
            if part is None:
                raise ImportRefused(
                    f"{quoted(line)} is not what hledger prints: print the book again"
                )
            yield part
    except NotUtf8:
        raise ImportRefused("is not UTF-8: print it with LC_ALL=C.UTF-8 hledger …") from None
    except JsonDamaged:
        raise ImportRefused("the file is damaged or cut off: print the book again") from None


class Amount(NamedTuple):
    """An amount of one commodity. value, currency: at cost."""

    quantity: Fraction
    commodity: str
    value: Fraction
    currency: str


def amount_of(printed: dict[str, Any]) -> Amount:
    """Raises KeyError, TypeError or ValueError."""
    commodity, quantity = intern(printed["acommodity"]), _quantity(printed)
    cost = printed["acost"] if "acost" in printed else printed["aprice"]
    if cost is None:
        return Amount(quantity, commodity, quantity, commodity)
    price, currency = _quantity(cost["contents"]), intern(cost["contents"]["acommodity"])
    if cost["tag"] in ("UnitPrice", "UnitCost"):
        return Amount(quantity, commodity, quantity * price, currency)
    if cost["tag"] not in ("TotalPrice", "TotalCost"):
        raise ValueError(cost["tag"])
    # A total cost has no sign, or that of the other amount.
    return Amount(quantity, commodity, abs(price) if quantity > 0 else -abs(price), currency)


def _quantity(amount: dict[str, Any]) -> Fraction:
    number = amount["aquantity"]
    mantissa, places = number["decimalMantissa"], number["decimalPlaces"]
    if type(mantissa) is not int or type(places) is not int or not 0 <= places <= _MOST_PLACES:
        raise ValueError(number)
    return Fraction(mantissa, 10**places)


def shown_places(amount: dict[str, Any]) -> int:
    """Return how many decimals hledger shows of an amount."""
    places = amount["astyle"]["asprecision"]
    if isinstance(places, dict):
        places = places.get("contents")
    places = amount["aquantity"]["decimalPlaces"] if places is None else places
    if type(places) is not int or not 0 <= places <= _MOST_PLACES:
        raise ValueError(places)
    return places


class Reading:
    """What is collected while transactions are read.

    places: how often each number of decimals is shown, by commodity. virtual, assertions: the
    numbers of such legs. is_conversion: whether an account only balances currencies.
    """

    def __init__(self, is_conversion: Callable[[str], bool]) -> None:
        self.places: defaultdict[str, Counter[int]] = defaultdict(Counter)
        self.virtual = self.assertions = 0
        self._is_conversion = is_conversion

    def transaction(self, printed: dict[str, Any]) -> Transaction:
        """Return a transaction; its legs have no ids. Raises ImportRefused."""
        try:
            return self._transaction(printed)
        except (KeyError, TypeError, ValueError, AttributeError):
            title = f"{printed.get('tdate')} {printed.get('tdescription')}"
            raise ImportRefused(
                f"the transaction {quoted(title)} is not as hledger prints it: finance-api reads "
                "what versions from 1.25 on print"
            ) from None

    def _transaction(self, printed: dict[str, Any]) -> Transaction:
        payee, bar, note = printed["tdescription"].partition("|")
        legs: list[Leg] = []
        conversions: list[Leg] = []
        for posting in printed["tpostings"]:
            kind = posting["ptype"] if "ptype" in posting else posting["preal"]
            if not _REAL_KINDS[kind]:
                self.virtual += 1
            elif self._is_conversion(posting["paccount"]):
                conversions += self._legs(posting)
            else:
                self.assertions += posting["pbalanceassertion"] is not None
                legs += self._legs(posting)
        rests = imbalance(legs)
        if rests and len(rests) != 2 and not imbalance([*legs, *conversions]):
            # The other half is another transaction's, or several currencies are paid for.
            legs, conversions = [*legs, *conversions], []
        return Transaction(
            parse_day(printed["tdate"], "the journal"),
            legs,
            payee=payee.strip() or None,
            note=_joined(note if bar else "", printed["tcomment"]),
            state=_STATES[printed["tstatus"]],
            reference=printed["tcode"] or None,
            labels=_labels(printed["ttags"]),
            converts=bool(conversions),
        )

    def _legs(self, posting: dict[str, Any]) -> Iterator[Leg]:
        own_day = posting["pdate"]
        for printed in posting["pamount"]:
            amount = amount_of(printed)
            if not (amount.commodity or amount.quantity):
                # A plain 0, as before the assertion of a balance.
                continue
            self.places[amount.commodity][shown_places(printed)] += 1
            yield Leg(
                "",
                intern(posting["paccount"]),
                *amount,
                note=_joined(posting["pcomment"]),
                labels=_labels(posting["ptags"]),
                day=None if own_day is None else parse_day(own_day, "the journal"),
                state=_STATES[posting["pstatus"]],
            )


def _joined(*texts: str) -> str | None:
    lines = [line.strip() for text in texts for line in text.splitlines()]
    return "\n".join(x for x in lines if x and not x.startswith(_GENERATED)) or None


def _labels(tags: list[list[str]]) -> tuple[str, ...]:
    labels = (
        f"{name}: {value}" if value else name for name, value in tags if name not in _OWN_TAGS
    )
    return tuple(map(intern, dict.fromkeys(labels)))


def generated_by(printed: dict[str, Any]) -> str | None:
    """Return the period of the rule that a forecast was generated by; None for others."""
    for tag in printed["ttags"]:
        match tag:
            case ["generated-transaction" | "_generated-transaction", str(period)]:
                return period.removeprefix("~").strip()
    return None


def check_balanced(transaction: Transaction, places: Mapping[str, int]) -> None:
    """Raise ImportRefused if the legs do not add up to 0, as far as hledger shows it."""
    rests = imbalance(transaction.legs)
    if transaction.converts and len(rests) == 2:
        return
    for currency, rest in rests.items():
        shown = places.get(currency, 0)
        if abs(rest) * 10**shown * 2 > 1:
            title = quoted(f"{transaction.day} {transaction.payee or ''}".rstrip())
            raise ImportRefused(
                f"the transaction {title} does not balance: print the book again, with "
                "'hledger print -x -O json'"
            )
