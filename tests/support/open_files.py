"""Random CSV files with lines that are no transactions, and what their questions lead to."""

import io
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import islice, product
from typing import Any

from finance_api.importers.interface import Choice, ImportRefused, Question
from finance_api.importers.options import changed
from finance_api.ledger.orders import make_order
from finance_api.ledger.trying import try_choices
from finance_api.values.time import date_text
from support.bank_layouts import LANGUAGES, PAYEES
from support.csv_files import read
from support.ledger import IMPORT_SETTINGS, Person

#: What the file leaves open, if anything.
OPEN = ("nothing", "days", "unsigned", "words", "status")
#: Texts of lines that are no transactions.
OWNERS = "A. PERSON|Konto 4711|Statement|Jan Kowalski|Période|Kunde".split("|")
CARRIED = "Carried forward/Brought forward|Übertrag auf Seite 2/Übertrag von Seite 1".split("|")
TOTALS = "Total|Summe|Suma|Totale|Razem|Sum".split("|")
NOTICES = "Printed by Anna|Created on request|Diese Liste ist kein Auszug|*** END ***".split("|")


@dataclass
class OpenFile:
    """text: the file. records: line, day and ten-thousandths of each transaction. others: the other
    lines, by their kind. open: the kind of question that the file raises.
    """

    text: str
    records: list[tuple[int, str, int]]
    others: dict[int, str]
    open: str

    @property
    def texts(self) -> dict[int, str]:
        """The texts of rows that carry a balance or sum up."""
        lines = enumerate(self.text.splitlines(), 1)
        known = [text for pair in (*CARRIED, *TOTALS) for text in pair.split("/")]
        cells = ((at, re.split("[,;\t]", line)) for at, line in lines if at in self.others)
        return {at: cell for at, line in cells for cell in line if cell in known}


@dataclass
class _Writer:
    """Writes the rows of a layout."""

    pick: random.Random
    open: str
    delimiter: str = ";"
    columns: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        pick = self.pick
        of = LANGUAGES[pick.choice(list(LANGUAGES))]
        self.comma = pick.random() < 0.5
        self.delimiter = pick.choice(";\t" if self.comma else ",;\t")
        self.form = "%d/%m/%Y" if self.open == "days" else pick.choice(("%Y-%m-%d", "%d.%m.%Y"))
        self.sides = self.open in ("nothing", "days") and pick.random() < 0.3
        self.columns = [("day", of.day[0]), ("note", of.note[0])]
        if pick.random() < 0.4:
            self.columns.insert(1, ("value", of.value_day[0]))
        self.columns += [("debit", of.debit[0]), ("credit", of.credit[0])] if self.sides else []
        self.columns += [] if self.sides else [("amount", of.amount[0])]
        self.columns += [("word", of.way[0][0])] if self.open == "words" else []
        self.columns += [("status", of.status[0][0])] if self.open == "status" else []
        if self.open != "unsigned" and pick.random() < 0.5:
            self.columns.append(("balance", of.balance[0]))
        self.booked = of.status[0][1]

    def number(self, cents: int) -> str:
        text = f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02}"
        return text.replace(".", ",") if self.comma else text

    def line(self, *cells: str) -> str:
        return self.delimiter.join(cells)

    def row(self, day: date | None, note: str, cents: int | None, **others: str) -> str:
        """cents: None for a row without an amount."""
        cells = {"note": note, **others}
        if day is not None:
            cells["day"] = cells["value"] = day.strftime(self.form)
        if cents is not None:
            unsigned = self.sides or self.open in ("unsigned", "words")
            name = ("debit" if cents < 0 else "credit") if self.sides else "amount"
            cells[name] = self.number(abs(cents) if unsigned else cents)
        return self.line(*(cells.get(name, "") for name, _ in self.columns))


def make(seed: int, open_: str) -> OpenFile:
    """Make a file. Lines above have other cells than its rows; rows that carry a balance, or sum
    up, look like all others but for their texts. open_: what the file leaves open.
    """
    pick = random.Random(f"{open_} {seed}")
    writer = _Writer(pick, open_)
    has_headings = open_ in ("status", "words") or pick.random() < 0.6
    day = date(2026, pick.randint(1, 6), pick.randint(1, 9))
    way = pick.choice((1, -1))
    balance = opening = pick.randint(50_000, 900_000)
    lines: list[tuple[str, str, tuple[str, int] | None]] = []
    days, total = [], 0
    count = pick.choice((4, 5, 8, 12))
    carried = pick.randrange(2, count - 1) if pick.random() < 0.25 else None
    informed = pick.randrange(1, count) if pick.random() < 0.15 else None
    for number in range(count):
        day += timedelta(days=pick.choice((0, 1, 2)))
        days.append(day)
        note = f"{pick.choice(PAYEES.split('|'))} {number}"
        cents = pick.randint(100, 99_999) * (pick.choice((1, -1, -1)) if number > 1 else -1)
        cents = abs(cents) if number == 1 else cents
        cents = way * abs(cents) if open_ == "unsigned" else cents
        word = "Quax" if cents < 0 else "Brill"
        is_kept = open_ != "status" or number != 1
        status = writer.booked if is_kept else "Vormerkung"
        balance += cents if is_kept else 0
        others = {"word": word, "status": status, "balance": writer.number(balance)}
        record = (day.isoformat(), cents * 100) if is_kept else None
        kind = "row" if is_kept else "pending"
        lines.append((writer.row(day, note, cents, **others), kind, record))
        total += cents if is_kept else 0
        if number == carried:
            for text in pick.choice(CARRIED).split("/"):
                others = {"word": word, "status": writer.booked}
                others["balance"] = writer.number(balance)
                lines.append((writer.row(day, text, balance, **others), "carried", None))
        if number == informed:
            lines.append((writer.row(day, "New conditions", None), "notice", None))
    above = []
    if has_headings:
        above.append((writer.line(*(heading for _, heading in writer.columns)), "headings", None))
    if pick.random() < 0.5:
        owner = [pick.choice(OWNERS), days[-1].strftime("%Y%m%d"), days[0].strftime(writer.form)]
        owner += [writer.number(opening), writer.number(balance), "EUR"]
        pick.shuffle(owner)
        above.insert(0, (writer.line(*owner[: pick.randint(4, 6)]), "owner", None))
    below = []
    if pick.random() < 0.2:
        last = day if pick.random() < 0.5 else None
        others = {"word": "Brill", "status": writer.booked}
        below.append((writer.row(last, pick.choice(TOTALS), total, **others), "total", None))
    if pick.random() < 0.2:
        below.append((pick.choice(NOTICES), "notice", None))
    all_ = [*above, *lines, *below]
    records = [(at, *of) for at, (_, _, of) in enumerate(all_, 1) if of is not None]
    other = {at: kind for at, (_, kind, of) in enumerate(all_, 1) if of is None}
    return OpenFile("".join(f"{text}\n" for text, *_ in all_), records, other, open_)


# -- where questions lead


@dataclass
class End:
    """Where a sequence of choices leads.

    entries: line, day and ten-thousandths; None if the file is refused. shown: the lines whose
    records a choice showed. are_true: whether all that the choices showed is true. is_first:
    whether each of them was the first one. rounds: how often was asked.
    """

    entries: list[tuple[int, str, int]] | None
    shown: frozenset[int] = frozenset()
    are_true: bool = True
    is_first: bool = True
    rounds: int = 0


#: At most this many combinations of choices are followed in each round, and this many rounds.
_FOLLOWED, _ROUNDS = 12, 6


def ends(
    file: OpenFile, person: Person, given: dict[str, Any], so_far: End | None = None
) -> Iterator[End]:
    """Follow the choices that are offered, each to its end. given: the options, with the account
    and the currency.
    """
    so_far = so_far or End(None)
    try:
        options = {name: value for name, value in given.items() if name != "no_header"}
        statements = read(file.text, header=not given.get("no_header"), **options)
    except ImportRefused as refused:
        yield from _following(file, person, given, so_far, refused)
        return
    found = [(e.line, date_text(e.date), e.amount) for each in statements for e in each.entries]
    yield End(sorted(found), so_far.shown, so_far.are_true, so_far.is_first, so_far.rounds)


def _following(
    file: OpenFile, person: Person, given: dict[str, Any], so_far: End, refused: ImportRefused
) -> Iterator[End]:
    def make_(options: Any) -> Any:
        order = {"email": person.user.email, "now": person.clock.now(), "name": "f.csv"}
        return make_order(io.BytesIO(file.text.encode()), options, IMPORT_SETTINGS, **order)

    try_choices(refused, person.backend, io.BytesIO(file.text.encode()), make_, given)
    is_open = all(question.choices for question in refused.questions)
    if not is_open or so_far.rounds == _ROUNDS:
        yield End(None, so_far.shown, so_far.are_true, so_far.is_first, so_far.rounds)
        return
    numbered = [list(enumerate(question.choices)) for question in refused.questions]
    for chosen in islice(product(*numbered), _FOLLOWED):
        options, shown, are_true = given, set(so_far.shown), so_far.are_true
        for question, (_, choice) in zip(refused.questions, chosen, strict=True):
            options = changed(options, choice.changes)
            shown |= {each.line for each in choice.effect.entries} if choice.effect else set()
            shown |= {
                line for line, text in file.texts.items() if repr(text) in str(choice.meaning)
            }
            are_true &= _is_true(question, choice, file) or len(question.choices) == 1
        is_first = so_far.is_first and not any(number for number, _ in chosen)
        step = End(None, frozenset(shown), are_true, is_first, so_far.rounds + 1)
        yield from ends(file, person, options, step)


def _is_true(question: Question, choice: Choice, file: OpenFile) -> bool:
    """Return whether a choice shows what the file means by the example rows."""
    lines = {row.line for row in question.rows}
    meant = sorted(record for record in file.records if record[0] in lines)
    effect = choice.effect
    return effect is not None and meant == sorted(
        (each.line, date_text(each.day), each.amount) for each in effect.entries
    )
