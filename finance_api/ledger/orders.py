"""The order that an import takes, and the report that it returns."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import KW_ONLY, dataclass, field
from pathlib import PurePath
from typing import Any, BinaryIO, NamedTuple

from finance_api.importers.clauses import Clause, Option, Topic, clause
from finance_api.importers.formats import AccountKey, detect_format, format_named
from finance_api.importers.interface import ImportRefused, StatementImporter, currency_code
from finance_api.importers.native import NativeFile, native_file
from finance_api.importers.options import FILE_OPTIONS
from finance_api.ledger.session import KEEP_DAYS
from finance_api.resources import RECORDS
from finance_api.resources.field import Kind
from finance_api.serialization.values import json_writer
from finance_api.storage.interface import COMMAND
from finance_api.values import Row
from finance_api.values.number import decimal_text

#: Options about how entries of the file are matched with stored records.
_MATCHING = (
    *("new_account", "ids", "first_day", "moved_days", "match_days"),
    *("into", "follow", "confirm_smaller"),
)


@dataclass(frozen=True, kw_only=True)
class StatementOptions:
    """The user's options for a statement file or a book.

    account_name: the name of the account, if the file has only one. new_account: whether the user
    says that the account is new. currency: the currency of a new account, if the file states none.
    ids: how the bank's ids behave, REUSED or STABLE. first_day: how to treat rows identical to
    stored records on a day the file covers only partly, "same" or "new".
    moved_days: up to how many days the bank may have moved an entry. match: whether to match
    records of other sources, up to match_days apart. link_by_number: whether two records become a
    transfer if one names the other's account.
    into: accounts of a book that are accounts here, see `joined_accounts`.
    follow: whether the file is the truth for all that came from its source, see `following`.
    confirm_smaller: whether the user says that a book has lost much, or ends earlier than before.
    """

    account_name: str | None = None
    new_account: bool = False
    currency: str | None = None
    ids: str | None = None
    first_day: str | None = None
    moved_days: int | None = None
    match: bool = True
    match_days: int | None = None
    link_by_number: bool = False
    into: tuple[str, ...] = ()
    follow: bool = False
    confirm_smaller: bool = False


@dataclass(frozen=True)
class ImportOrder:
    """A file, the user to import it for, and the options.

    email: the user's email address. stream: the file, seekable and at its start. importer: the
    importer of a statement format; None: `open_native` reads whole objects from the file. options:
    the options for statements. format_name: the file's format, if `make_order` determined it. name,
    answers: the file's name and the options that the user gave, for the history. path, changed_at:
    where the file is and when it was changed, to look at it again if it is followed. origin: see
    `WritableStorage`. dry_run: whether to store nothing.
    """

    email: str
    stream: BinaryIO
    importer: StatementImporter | None = None
    _: KW_ONLY
    now: int
    open_native: Callable[[BinaryIO], AbstractContextManager[NativeFile]] = native_file
    options: StatementOptions = field(default_factory=StatementOptions)
    format_name: str | None = None
    name: str | None = None
    path: str | None = None
    changed_at: int = 0
    answers: Mapping[str, Any] = field(default_factory=dict)
    origin: str = COMMAND
    keep_days: int = KEEP_DAYS
    dry_run: bool = False


def make_order(
    stream: BinaryIO,
    answers: Mapping[str, Any],
    settings: Mapping[str, Any],
    format_name: str | None = None,
    **order: Any,
) -> ImportOrder:
    """Return the order for a file and a user's answers.

    stream: the file, seekable and at its start. answers: options by name, see `importers.options`.
    settings: the operator's settings. format_name: the file's format; None: detect it.
    order: the user and other fields of `ImportOrder`.
    Raises ImportRefused for an unknown format, and for options of another format.
    """
    given = {name: _tuples(value) for name, value in answers.items() if _is_given(value)}
    if "currency" in given:
        given["currency"] = currency_code(given["currency"])
    found = format_named(format_name) if format_name else detect_format(stream)
    others = given.keys() - {*found.options}
    misplaced = tuple(Option(each.name) for each in FILE_OPTIONS if each.name in others)
    if misplaced:
        raise ImportRefused(clause(Topic.MISPLACED, options=misplaced, format=found.name))
    # The importer of such a format (CSV) itself names the account as the user said.
    names_it = found.account_key is AccountKey.USER
    options = StatementOptions(
        account_name=None if names_it else given.get("account"),
        currency=given.get("currency"),
        match=not given.get("no_match"),
        link_by_number=settings["finance_api.transfers.link_by_number"],
        **{name: given[name] for name in _MATCHING if name in given},
    )
    return ImportOrder(
        stream=stream,
        importer=found.new_importer(
            stream, given, settings["finance_api.imports.profiles_directory"]
        ),
        open_native=found.native_opener(_with_book_name(given, order.get("name"))),
        format_name=found.name,
        options=options,
        answers=given,
        keep_days=settings["finance_api.imports.keep_days"],
        **order,
    )


def _with_book_name(given: Mapping[str, Any], name: str | None) -> Mapping[str, Any]:
    """Name a book after its file, unless the user names it; only books without an id need that."""
    return given if name is None else {"book": PurePath(name).stem, **given}


def _is_given(value: Any) -> bool:
    is_empty = isinstance(value, Mapping | list | tuple) and not value
    return not (value is None or value is False or is_empty)


def _tuples(value: Any) -> Any:
    """Convert the lists of a JSON value to tuples, as a command line gives them."""
    if isinstance(value, Mapping):
        return {key: _tuples(each) for key, each in value.items()}
    return tuple(value) if isinstance(value, list) else value


#: Up to this many updates and matches are listed; the rest are only counted.
MOST_LISTED = 1_000
#: Up to this many new records are shown.
MOST_SHOWN = 10


class Listed(NamedTuple):
    """A stored record that the file changed, or that matches an entry of another format.

    before, after: the values that changed, by field; for a match, ``before`` has the values of the
    entry, and ``after`` those of the record.
    """

    id: str
    line: int
    before: dict[str, Any]
    after: dict[str, Any]

    def as_json(self, before: str, after: str) -> dict[str, Any]:
        """Return the JSON. before, after: the names of the members with the values."""
        written = {before: _written(self.before), after: _written(self.after)}
        return {"id": self.id, "line": self.line, **written}


@dataclass(slots=True)
class AccountTotal:
    """The sums of an account's entries in the file, in ten-thousandths.

    balance: the account's balance after the import. first, last: the first and last day of the
    entries, as seconds of 00:00:00Z; None if there are no entries, and for native files.
    """

    account: str = ""
    currency: str = ""
    money_in: int = 0
    money_out: int = 0
    balance: int = 0
    first: int | None = None
    last: int | None = None

    def add(self, amount: int, day: int | None = None) -> None:
        if amount < 0:
            self.money_out += amount
        else:
            self.money_in += amount
        if day is not None:
            self.first = day if self.first is None else min(day, self.first)
            self.last = day if self.last is None else max(day, self.last)

    def end(self, account: Row) -> None:
        """Note the values that the account has after the import."""
        self.account, self.currency = account["name"], account["currencyCode"]
        self.balance = account["balance"]

    def as_json(self) -> dict[str, Any]:
        return {
            "account": self.account,
            "currencyCode": self.currency,
            "in": _number(self.money_in),
            "out": _number(self.money_out),
            "balance": _number(self.balance),
        }


def _nothing() -> None:
    """Do nothing. A report is sent between processes, which a lambda cannot be."""


@dataclass
class ImportReport:
    """The counts of one file's objects (for statement formats, only records), with examples.

    matched: number of entries matched with records of other sources. removed: number of objects
    that a followed book has lost.
    new_records: number of new records; uncategorised: how many of them have no category.
    skipped: number of items that no record can hold, by kind.
    new, updates, matches: the first new records, updates and matches. remarks: sentences for the
    user. totals: the sums of each account. account_names: the names of the accounts that statements
    belong to, by the keys of the statements' accounts. details: the details of the history entry.
    changed: whether the import changed visible data. on_new: called when new records are noted.
    """

    created: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    matched: int = 0
    new_records: int = 0
    uncategorised: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    new: list[Row] = field(default_factory=list)
    updates: list[Listed] = field(default_factory=list)
    matches: list[Listed] = field(default_factory=list)
    remarks: list[Clause | str] = field(default_factory=list)
    totals: list[AccountTotal] = field(default_factory=list)
    account_names: dict[str | None, str] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict)
    changed: bool = False
    on_new: Callable[[], None] = _nothing

    @property
    def counts(self) -> dict[str, int]:
        return {
            "created": self.created,
            "updated": self.updated,
            "unchanged": self.unchanged,
            "matched": self.matched,
            "skipped": self.skipped.total(),
            **({"removed": self.removed} if self.removed else {}),
        }

    def as_json(self) -> dict[str, Any]:
        return {
            **self.counts,
            "updates": [each.as_json("old", "new") for each in self.updates],
            "matches": [each.as_json("entry", "record") for each in self.matches],
            "accounts": [each.as_json() for each in self.totals],
        }

    def note_new(self, records: Sequence[Row]) -> None:
        self.created += len(records)
        self.new_records += len(records)
        self.uncategorised += sum(row["categoryId"] is None for row in records)
        self.new += records[: MOST_SHOWN - len(self.new)]
        self.on_new()

    def note_update(self, update: Listed) -> None:
        self.updated += 1
        if len(self.updates) < MOST_LISTED:
            self.updates.append(update)

    def note_match(self, match: Listed) -> None:
        self.matched += 1
        if len(self.matches) < MOST_LISTED:
            self.matches.append(match)


def _number(units: int) -> float | str:
    """Return ten-thousandths as a JSON number, or as text if programs would round the number."""
    text = decimal_text(units)
    return float(text) if abs(units) < 2**53 else text


_WRITERS = {
    field.name: _number if field.kind is Kind.NUMBER else json_writer(field)
    for field in RECORDS.fields
}


def _written(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a record's fields as JSON values."""
    written = {}
    for name, value in values.items():
        writer = _WRITERS.get(name)
        written[name] = value if value is None or writer is None else writer(value)
    return written
