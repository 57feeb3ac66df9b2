"""The cells that a profile makes of those of a row."""

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter

from finance_api.importers.csv.profile import Leg, Match
from finance_api.importers.csv.vocabulary import folded

#: Makes one cell of a row's.
Make = Callable[[Sequence[str]], str]

_SIGNS = "-+\u2010\u2011\u2012\u2013\u2212 "


class DerivedCells:
    """Cells of fields that are one column here and another there, that are made of several, or
    that stand above the headings.

    names: of the fields, or "debit", "credit", "fee", "balance". used: the indexes of the columns
    that they are made of.
    """

    def __init__(self, match: Match, preamble: Mapping[str, str]) -> None:
        """preamble: what the lines above the headings say."""
        self._match = match
        self._preamble = preamble
        self.names = self._names()
        self.used = frozenset(
            index
            for name in self.names
            for leg in (None, *match.profile.legs)
            for index in self._columns(name, leg)
        )

    def _names(self) -> tuple[str, ...]:
        profile, match = self._match.profile, self._match
        names = dict.fromkeys(name for leg in profile.legs for name in leg.map)
        if profile.says_direction:
            names |= dict.fromkeys(("debit", "credit"))
            names.pop("amount", None)
        if any(leg.currency for leg in profile.legs):
            names["currency"] = None
        if len(match.indexes(profile.map.get("category", ()))) > 1:
            names["category"] = None
        if profile.account_prefix:
            names["account"] = None
        if profile.payment_types:
            names["paymentType"] = None
        return tuple(names | dict.fromkeys(self._preamble))

    def _columns(self, name: str, leg: Leg | None) -> tuple[int, ...]:
        """The columns that a cell is made of."""
        match, profile = self._match, self._match.profile
        if name in ("debit", "credit"):
            name = "amount"
        if leg is not None and name in leg.map:
            return match.indexes(leg.map[name])
        if name == "balance":
            return match.indexes([profile.layout.balance or ""])
        if name == "fee":
            return tuple(match.column_and_rest("fee", fee)[0] for fee in profile.layout.fee)
        return match.indexes(profile.map.get(name, ()))

    def of_leg(self, leg: Leg | None) -> tuple[Make, ...]:
        """What makes the cells of a leg, or of the only one; in the order of the names."""
        return tuple(self._make(name, leg) for name in self.names)

    def _make(self, name: str, leg: Leg | None) -> Make:
        profile = self._match.profile
        constant = self._preamble.get(name)
        if leg is not None and name == "currency" and leg.currency:
            constant = leg.currency
        if (
            leg is not None
            and name in ("debit", "credit")
            and (name == "credit") != (leg.positive == "in")
        ):
            constant = ""
        separator = profile.category_separator if name == "category" else " "
        make = _joined(self._columns(name, leg), separator)
        if constant is not None:
            make = _constant(constant)
        if name == "account" and profile.account_prefix:
            return _prefixed(make, profile.account_prefix)
        if name == "paymentType" and profile.payment_types:
            return _translated(make, profile.payment_types)
        if name in ("debit", "credit") and leg is not None and leg.ignore_sign:
            return _unsigned(make)
        return make


def _constant(text: str) -> Make:
    return lambda cells: text


def _joined(columns: tuple[int, ...], separator: str) -> Make:
    if len(columns) == 1:
        return itemgetter(columns[0])
    return lambda cells: separator.join(t for i in columns if (t := cells[i].strip()))


def _prefixed(make: Make, prefix: str) -> Make:
    def prefixed(cells: Sequence[str]) -> str:
        text = make(cells).strip()
        return f"{prefix} {text}" if text else ""

    return prefixed


def _translated(make: Make, words: Mapping[str, str]) -> Make:
    return lambda cells: words.get(folded(make(cells)), "")


def _unsigned(make: Make) -> Make:
    return lambda cells: make(cells).strip(_SIGNS)
