"""What files stated: values of records, ids of entries, and the days covered for each account.

The field `stated` of a record is a JSON object: for each source, the entries that equal the record.
The source that created the record is missing there as long as the record still has the stated
values. Facts about an account from earlier files are in the details of the history.
"""

import json
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from json.encoder import encode_basestring_ascii
from typing import Any, NamedTuple

from finance_api.importers import CSV, NATIVE
from finance_api.importers.interface import Statement, StatementAccount, joined_key
from finance_api.ledger.rows import bounded_source_id
from finance_api.storage.interface import HistoryEntry
from finance_api.values import Row
from finance_api.values.text import fold
from finance_api.values.time import DAY_SECONDS

#: Records are candidates up to this many days before and after the file's days.
REACH_DAYS = 7
#: The fields whose values files state.
CONTENT = ("recordDate", "amount", "payee", "note")
#: The `message` of a sum whose own record has only what is left of it beside its known parts.
REST = "rest"
#: Members of the JSON -> fields of `StatedValues`.
_MEMBERS = {"id": "bank_id", "asOf": "as_of"} | {
    n: n for n in ("texts", "batch", "offset", "message", "beside", "others")
}


def text_hash_of(payee: str | None, note: str | None) -> int:
    """Return a hash of payee and note that ignores case, valid within this process.

    Python keeps 60 bits in two thirds of the memory that it needs for more.
    """
    return hash((fold(payee or ""), fold(note or ""))) >> 4


class Content(NamedTuple):
    """The stated values that tell transactions apart."""

    date: int
    amount: int
    payee: str | None
    note: str | None

    @property
    def day(self) -> int:
        """The number of the day since 1970-01-01."""
        return self.date // DAY_SECONDS

    @property
    def time(self) -> int:
        """Seconds of the day; 0 if unknown."""
        return self.date % DAY_SECONDS

    @property
    def text_hash(self) -> int:
        """See `text_hash_of`."""
        return text_hash_of(self.payee, self.note)

    def hash_of(self, text_hash: int) -> int:
        """Return a hash of day, amount and text, valid within this process."""
        return hash((self.day, self.amount, text_hash))


class StatedValues(NamedTuple):
    """The values that one entry of a source stated.

    bank_id: the bank's id, if the source gives one. now: the values in the latest statement; None
    if the record is only a part of the entry, and another record has the entry's values.
    before: the values in earlier statements, each with the bank's id in that statement.
    as_of: when the statement of ``now`` was made. texts: see `Statement.texts`; None if unknown.
    batch, message: see `Entry`. offset: the UTC offset of the time in ``now``, if it was stated.
    beside: how much of the entry's amount this record does not have; negative if the record has
    more than the entry, because it is a sum. others: ids of the records that have the rest of the
    entry's amount, and nothing else. Both are None if the record is the whole entry.
    """

    bank_id: str | None
    now: Content | None
    before: tuple[tuple[Content, str | None], ...] = ()
    as_of: int | None = None
    texts: str | None = None
    batch: str | None = None
    offset: int | None = None
    message: str | None = None
    beside: int | None = None
    others: tuple[str, ...] | None = None

    @property
    def amounts(self) -> list[int]:
        """The amounts in all statements, the latest last."""
        contents = (*(content for content, _ in self.before), self.now)
        return [content.amount for content in contents if content is not None]

    def corrected(self, later: "StatedValues") -> "StatedValues":
        """Return a later statement's values, with the current values added to ``before``."""
        assert self.now is not None
        kept = dict.fromkeys((*self.before, (self.now, self.bank_id)))
        return later._replace(
            before=tuple(kept),
            batch=self.batch,
            message=self.message,
            beside=self.beside,
            others=self.others,
        )

    def with_older(self, bank_id: str | None, content: Content) -> "StatedValues":
        """Return these values, with the values of an older statement added to ``before``."""
        return self._replace(before=tuple(dict.fromkeys((*self.before, (content, bank_id)))))

    def as_json(self) -> dict[str, Any]:
        values: dict[str, Any] = {"now": self.now}
        values |= {key: getattr(self, name) for key, name in _MEMBERS.items()}
        values["before"] = [[*content, bank_id] for content, bank_id in self.before]
        return {name: value for name, value in values.items() if value not in (None, [])}


def total_beside(entries: Sequence[StatedValues]) -> int:
    """Return how much of the entries' amounts their record does not have."""
    return sum(each.beside or 0 for each in entries)


def total_stated(entries: Sequence[StatedValues]) -> int:
    """Return the amount of a record that follows from all entries of one source."""
    stated = (each.now.amount for each in entries if each.now is not None)
    return sum(stated) - total_beside(entries)


def payee_of_file(row: Row) -> str | None:
    """Return the record's payee before it was renamed."""
    payee: str | None = row["payee"] if row["originalPayee"] is None else row["originalPayee"]
    entries = read_stated(row).get(own_source(row) or "", [])
    if row["originalPayee"] is None and len(entries) == 1 and entries[0].now is not None:
        # A record that had no payee has no original one, either.
        payee = entries[0].now.payee
    return payee


def original_payee(row: Row, payee: str | None) -> str | None:
    """Return what ``originalPayee`` is once the record has another payee."""
    is_typed = row["originalPayee"] is None and own_source(row) is None
    if is_typed and (row.get("splitId") is None or "payee" in row["setByHand"]):
        return None
    stated = payee_of_file(row)
    return None if stated == payee else stated


def own_content(row: Row) -> Content:
    """Return the record's own values, with the payee that its file had."""
    return Content(row["recordDate"], row["amount"], payee_of_file(row), row["note"])


def own_source(row: Row) -> str | None:
    """Return the source that created the record; None if the record has no source id."""
    source: str | None = row["source"]
    return None if row["sourceId"] is None else source


def bank_id_in(source_id: str) -> str | None:
    """Return the bank's id that a source id contains; None if it contains a hash instead."""
    tail = source_id.rpartition("/")[2]
    if tail.startswith("hash:") or source_id.startswith("sha256:"):
        return None
    name = tail.partition("#")[0]
    return name.replace("%23", "#").replace("%2F", "/").replace("%25", "%")


def read_stated(row: Row) -> dict[str, list[StatedValues]]:
    """Return the stated entries by source.

    The result is empty if none are stored, or if the text, from a native file, cannot be parsed.
    """
    if row["stated"] is None:
        return {}
    try:
        texts = json.loads(row["stated"])
        stated = {s: [_stated_values(values) for values in entries] for s, entries in texts.items()}
    except (AttributeError, LookupError, TypeError, ValueError):
        return {}
    _work_out_beside(row, stated)
    return stated


def _work_out_beside(row: Row, stated: dict[str, list[StatedValues]]) -> None:
    """Set ``beside`` of sums for which earlier versions did not store it.

    An entry without it is the whole record if it has the record's amount, or if it has or had an
    amount in common with an entry that is the whole record.
    """
    own = own_source(row)
    if own in (None, NATIVE) or "amount" in row["setByHand"]:
        return
    # Most records: this saves time.
    if all(len(of) == 1 and total_stated(of) == row["amount"] for of in stated.values()):
        return
    found = {s: [each for each in stated[s] if each.now is not None] for s in stated}
    only = [of[0] for of in found.values() if len(of) == 1 and of[0].beside is None]
    wholes: set[int] = set()
    for each in only * len(only):
        if each.amounts[-1] == row["amount"] or not wholes.isdisjoint(each.amounts):
            wholes.update(each.amounts)
    for source, entries in found.items():
        is_own = source == own and REST not in {each.message for each in entries}
        if not entries or is_own or any(each.beside is not None for each in entries):
            continue
        first, *further = entries
        amounts = [each.amounts[-1] for each in further]
        # As for new entries: what further ones have comes on top of the first one's amount.
        beside = -sum(amounts)
        if total_stated(entries) not in {*wholes, row["amount"]}:
            # The record's amount follows the format in which the bank corrected the sum most often.
            same = (each for each in (first, *only) if first.amounts[0] in each.amounts)
            beside = max(same, key=lambda each: len(each.before)).amounts[-1] - row["amount"]
        shares = iter((beside or None, *amounts))
        stated[source] = [
            each if each.now is None else each._replace(beside=next(shares))
            for each in stated[source]
        ]


def _stated_values(values: dict[str, Any]) -> StatedValues:
    now = values.get("now")
    return StatedValues(
        now=None if now is None else Content(*now),
        before=tuple((Content(*each[:4]), each[4]) for each in values.get("before", ())),
        **{name: values.get(key) for key, name in _MEMBERS.items()},
    )


def written(stated: dict[str, list[StatedValues]]) -> str | None:
    if not stated:
        return None
    values = {
        source: [stated_values.as_json() for stated_values in entries]
        for source, entries in stated.items()
    }
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    if unicodedata.is_normalized("NFC", text):
        return text
    # Importing a dump normalizes text, and would merge a combining mark with the last letter of an
    # escape sequence before it.
    return json.dumps(values, separators=(",", ":"))


def note_stated(before: Row, after: Row, history: Iterable[HistoryEntry] = ()) -> None:
    """If the content changes, keep the values stated at the record's creation in ``after``.

    They identify the record's entry when the file is imported again. history: of all imports, for
    what it says about the statement.
    """
    source = own_source(before)
    if source in (None, NATIVE) or all(before[name] == after[name] for name in CONTENT):
        return
    stated = read_stated(after)
    if source not in stated:
        account_id, number = before["accountId"], before["importId"]
        of_import = facts_by_account(e for e in history if e.number == number)[account_id]
        facts = collect_facts(of_import, source)
        stated_values = StatedValues(
            bank_id_in(before["sourceId"]),
            own_content(before),
            as_of=facts.as_of.get(number),
            texts=facts.texts.get(number),
        )
        after["stated"] = written({**stated, source: [stated_values]})


def is_out_of_reach(before: Row, after: Row) -> bool:
    """Return whether a file with this record could no longer match it by account and day."""
    stated = [v.now for entries in read_stated(after).values() for v in entries if v.now]
    days = [content.day for content in stated] or [own_content(before).day]
    now = own_content(after).day
    return before["accountId"] != after["accountId"] or any(
        abs(day - now) > REACH_DAYS for day in days
    )


def _json(text: str | None) -> str:
    return "null" if text is None else encode_basestring_ascii(text)


class Scope:
    """Makes the source ids of one account's entries.

    account: the user's account, which already has the statement's key.
    """

    def __init__(self, source: str, statement: StatementAccount, account: Row) -> None:
        self._source = source
        #: The part of hashed source ids that identifies the account.
        self._key = statement.key
        self._scope = statement.key or account["id"]
        if statement.key is not None and statement.name == statement.key:
            # The key is a name, which can change: use the first known name in all source ids.
            keys = (key.partition(":") for key in account["statementKeys"])
            self._key = next((key for of, _, key in keys if of == source), statement.key)
            self._scope = joined_key(self._key)
        self._json_key, self._json_currency = _json(self._key), _json(account["currencyCode"])

    def of_bank_id(self, bank_id: str, number: int = 1) -> str:
        """Return the source id for a bank's id. number: counts the entries with this id, from 1."""
        name = joined_key(bank_id).replace("#", "%23")
        numbered = f"{name}#{number}" if number > 1 else name
        return bounded_source_id(f"{self._scope}/{numbered}")

    def of_content(self, content: Content, number: int) -> str:
        """Return the source id for a content. number: counts the entries of equal content."""
        day, amount = content.date - content.date % DAY_SECONDS, content.amount
        texts = content.payee, content.note
        if self._source == CSV:
            payee, note = (_json(text) for text in texts)
            # The same text as from `json.dumps`, in a fifth of the time.
            values = f"[{self._json_key}, {day}, {amount}, {self._json_currency}, {payee}, {note}]"
            digest = sha256(sha256(values.encode()).digest() + b"#%d" % number)
            return f"hash:{digest.hexdigest()}"
        digest = sha256(repr((self._key, day, amount, *texts, number)).encode())
        name = f"hash:{digest.hexdigest()}"
        return name if self._key is not None else f"{self._scope}/{name}"


REUSED, STABLE = "reused", "stable"


class Cover(NamedTuple):
    """The first and last day that a statement covers, as days since 1970-01-01.

    first_rows, last_rows: digests of its entries on the first and last day.
    """

    first: int
    last: int
    first_rows: str | None = None
    last_rows: str | None = None

    def holds(self, day: int) -> bool:
        return self.first <= day <= self.last

    def holds_all_of(self, day: int) -> bool:
        """Return False also for the first and last day, which may be covered only partly."""
        return self.first < day < self.last


@dataclass
class EarlierFacts:
    """The facts from earlier imports about one account and source.

    covers: the days that the source's statements cover. others: the days that statements of other
    sources cover, by source.
    ids: how the bank's ids behave: REUSED, STABLE or None (unknown).
    ids_chosen: whether the user chose ``ids``.
    again: how many entries of earlier files came again with the same id and content.
    texts, as_of: values of the statements, by number of the import. files: the files' SHA-256.
    """

    covers: list[Cover] = field(default_factory=list)
    others: defaultdict[str, list[Cover]] = field(default_factory=lambda: defaultdict(list))
    ids: str | None = None
    ids_chosen: bool = False
    again: int = 0
    texts: dict[int, str] = field(default_factory=dict)
    as_of: dict[int, int | None] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)


def facts_of(history: Iterable[HistoryEntry]) -> Iterable[tuple[HistoryEntry, dict[str, Any]]]:
    """Yield the facts of all imports that are not undone, oldest first, each with its entry."""
    for entry in history:
        if entry.undone_at is None:
            for fact in entry.facts:
                yield entry, fact


#: The facts of an account's statements, each with the history entry of its import.
FactsBefore = list[tuple[HistoryEntry, dict[str, Any]]]


def facts_by_account(history: Iterable[HistoryEntry]) -> defaultdict[str, FactsBefore]:
    facts: defaultdict[str, FactsBefore] = defaultdict(list)
    for entry, fact in facts_of(history):
        facts[fact["accountId"]].append((entry, fact))
    return facts


def collect_facts(facts: FactsBefore, source: str) -> EarlierFacts:
    found = EarlierFacts()
    for entry, fact in facts:
        if fact.get("first") is not None:
            days = fact["first"] // DAY_SECONDS, fact["last"] // DAY_SECONDS
            cover = Cover(*days, fact.get("firstRows"), fact.get("lastRows"))
            of = found.covers if fact.get("source") == source else found.others[fact["source"]]
            of.append(cover)
        if fact.get("source") != source:
            continue
        if "texts" in fact:
            found.texts[entry.number] = fact["texts"]
        found.as_of[entry.number] = fact.get("asOf")
        found.again += fact.get("again", 0)
        digest = entry.details.get("file", {}).get("sha256")
        if digest is not None:
            found.files.add(digest)
        if fact.get("ids") is not None:
            found.ids = fact["ids"]
            found.ids_chosen = entry.details.get("options", {}).get("ids") is not None
    return found


def saved_options(
    history: Iterable[HistoryEntry], accounts: Mapping[str, Row]
) -> dict[tuple[str, str | None], dict[str, Any]]:
    """Return the options of `importers.interface.Remembered`. accounts: by id."""
    saved = {}
    for _, fact in facts_of(history):
        options = fact.get("options") or {}
        if heading := options.get("heading"):
            account = accounts.get(fact["accountId"], {})
            for name in (None, account.get("name"), fact.get("key"), options.get("account")):
                saved[heading, name] = options
    return saved


def answered_options(history: Iterable[HistoryEntry], account_id: str) -> Mapping[str, Any] | None:
    """Return the options of the account's last file that has any; None if no file has."""
    latest = None
    for _, fact in facts_of(history):
        if fact["accountId"] == account_id:
            latest = fact.get("options") or latest
    return latest


#: Ids are considered stable once this many rows came again with the same id.
_ROWS_THAT_SHOW_STABLE_IDS = 3


@dataclass(eq=False)
class KnownAccount:
    """A user's account that statements of the file belong to.

    is_new: this import creates it. is_repeat: exactly this file was imported before.
    earlier: facts from earlier imports. ids: how the bank's ids behave, if the user says so for
    this import.
    statements, scopes, covers: the file's statements, the scopes of their source ids, and the days
    they cover, by the statement's index in the file.
    again: how many entries of earlier files this file repeats with the same id and content.
    shows_reuse: this file shows that the bank uses ids again.
    is_of_several: statements of several bank accounts belong to this account.
    """

    id: str
    name: str
    is_new: bool
    is_repeat: bool
    earlier: EarlierFacts
    ids: str | None
    statements: dict[int, Statement] = field(default_factory=dict)
    scopes: dict[int, Scope] = field(default_factory=dict)
    covers: dict[int, Cover] = field(default_factory=dict)
    again: int = 0
    shows_reuse: bool = False
    is_of_several: bool = False
    #: Cached results of `coverage`, because many records share a day.
    _coverage: dict[int, tuple[bool, bool]] = field(default_factory=dict)

    @property
    def texts(self) -> str:
        return next(reversed(self.statements.values())).texts

    @property
    def first(self) -> int:
        return min(cover.first for cover in self.covers.values())

    @property
    def last(self) -> int:
        return max(cover.last for cover in self.covers.values())

    def coverage(self, day: int) -> tuple[bool, bool]:
        """Return whether the file covers the day at least partly, and whether it does wholly."""
        found = self._coverage.get(day)
        if found is None:
            covers = self.covers.values()
            found = any(c.holds(day) for c in covers), any(c.holds_all_of(day) for c in covers)
            self._coverage[day] = found
        return found

    def is_stored_whole(self, day: int) -> bool:
        """Return whether an earlier file of this source covered the whole day."""
        return any(cover.holds_all_of(day) for cover in self.earlier.covers)

    def as_made(
        self, row: Row, bank_id: str | None, content: Content | None = None
    ) -> StatedValues:
        """Return the values that the record's source stated, for a record that does not store them.

        content: the stated content, if it may differ from the record's.
        """
        number = row["importId"]
        return StatedValues(
            bank_id,
            content or own_content(row),
            as_of=self.earlier.as_of.get(number),
            texts=self.earlier.texts.get(number),
        )

    @property
    def known_stable(self) -> bool:
        """Whether ids are stable, according to the user or earlier files."""
        if self.ids is not None:
            return self.ids == STABLE
        shown = self.earlier.again >= _ROWS_THAT_SHOW_STABLE_IDS
        return self.earlier.ids == STABLE or (self.earlier.ids is None and shown)

    @property
    def stable(self) -> bool:
        """Whether ids are stable, according to the user, earlier files or this file."""
        if self.ids is not None or self.reused or self.known_stable:
            return self.known_stable
        return self.earlier.again + self.again >= _ROWS_THAT_SHOW_STABLE_IDS

    @property
    def reused(self) -> bool:
        if self.ids is not None:
            return self.ids == REUSED
        return self.shows_reuse or self.earlier.ids == REUSED

    @property
    def ids_chosen(self) -> bool:
        """Whether the user has said how ids behave."""
        return self.ids is not None or (self.earlier.ids_chosen and self.earlier.ids is not None)
