"""Finds the cells of a CSV file that are in none of its imported records."""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from finance_api.importers.csv import load_profiles
from finance_api.importers.csv.headings import Headings
from finance_api.importers.csv.vocabulary import folded
from finance_api.values.number import decimal_text
from finance_api.values.time import date_text

if TYPE_CHECKING:
    from support.whole import Whole

#: Words of the layouts for the direction of money, or for a booked status.
_SAID_BY_THE_AMOUNT = re.compile(
    "expenses?|income|gastos?|ingresos?|spese|расход|доход|debit|credit|withdrawal|deposit|in|out"
    "|outcome|d|c|s|h|k|dr|cr|af|bij|compl?eted?|completad[oa]|completato|zakończono|voltooid"
    "|abgeschlossen|terminé|conclu[íi]d[oa]|gebucht|posted|booked|cleared|settled|udført|success"
    "|ausgang|eingang|outgoing transfer|incoming transfer|transfer|transfer-out|transfer-in"
    "|exp[.]|inc[.]|true|false|yes|no|ja|nein|nej|e|i|t|neutral"
)
_NUMBER = re.compile(r"[-−+(]?\s*[^\w]{0,2}[A-Z]{0,3}\$?\s*[-−+]?[\d.,'’ \u00a0]*\d[^\d]{0,6}")
_PAGE = Path(__file__).parents[1] / "samples" / "csv" / "layouts.md"
_MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec"
_MONTH = re.compile("|".join(re.findall("...", _MONTHS)), re.IGNORECASE)


@cache
def documented() -> dict[str, set[str]]:
    """Return the case-folded columns that tests/samples/csv/layouts.md names for each profile."""
    rows = re.findall(r"^\| [^|]+ \| `([^`]+)` \| (.*) \|$", _PAGE.read_text("utf-8"), re.MULTILINE)
    return {name: set(map(folded, re.findall("`([^`]+)`", cell))) for name, cell in rows}


def lost_columns(data: str | bytes, profile: str, found: Iterable["Whole"]) -> set[str]:
    """Return the columns with a cell that an imported row has and no record shows.

    Leaves out the column of balances: an import compares balances with the rows, and stores the
    newest. Leaves out fees, too: they become separate records, one for all fees of a row.
    """
    lost: set[str] = set()
    told: dict[int, _Told] = {}
    for read in found:
        for entry in read.entries:
            told.setdefault(entry.line, _Told()).add(read, entry)
    for line, headings, cells in _rows(data, profile):
        row = told.get(line)
        if row is not None:
            lost |= {
                heading
                for heading, cell in zip(headings, cells, strict=False)
                if heading and not row.has(cell.strip())
            }
    mapping = load_profiles().get(profile).mapping
    fees = {folded(fee.partition("=")[0]) for fee in mapping.fee}
    return lost - fees - {folded(mapping.balance or "")}


class _Told:
    """The values in the entries of a row and in their account."""

    def __init__(self) -> None:
        self._texts = ""
        self._numbers: set[str] = {""}
        self._days: set[tuple[str, ...]] = set()

    def add(self, read: "Whole", entry: Any) -> None:
        account, statement = read.account, read.statement
        texts = [account.name, account.number, account.currency, statement.currency_mark]
        texts += [*entry.labels, entry.payee, entry.note, entry.category, entry.bank_id]
        texts += [entry.payment_type, entry.counterparty_account, entry.reference]
        texts += [entry.original_currency]
        self._texts += " " + " ".join(folded(text) for text in texts if text)
        for number in (entry.amount, entry.original_amount):
            if number is not None:
                self._numbers |= _digits(decimal_text(number))
        for moment in (entry.date, entry.value_date):
            if moment is not None:
                self._days.add(tuple(sorted(date_text(moment)[2:].split("-"))))

    def has(self, cell: str) -> bool:
        text = folded(cell)
        compact = "".join(text.split())
        return bool(
            not text
            or text in self._texts
            or compact in self._texts.replace(" ", "")
            or all(word in self._texts for word in re.split(r"[,;|/:()►\s]+", text))
            or _SAID_BY_THE_AMOUNT.fullmatch(text) is not None
            or (_NUMBER.fullmatch(cell) is not None and _digits(cell) & self._numbers)
            or self._is_day(cell)
        )

    def _is_day(self, cell: str) -> bool:
        month = _MONTH.search(cell)
        if month is not None:
            number = _MONTHS.index(month[0].lower()) // 3 + 1
            cell = f"{cell[: month.start()]} {number} {cell[month.end() :]}"
        parts = re.findall(r"\d+", cell)[:3]
        if len(parts) == 1 and len(parts[0]) == 8:
            parts = [parts[0][:4], parts[0][4:6], parts[0][6:]]
        return tuple(sorted(part.zfill(2)[-2:] for part in parts)) in self._days


def _digits(number: str) -> set[str]:
    """Return both readings of a number: its last mark separates decimals, or thousands."""
    marked = re.fullmatch(r"(.*)[.,](\d+)", re.sub(r"[^\d.,]", "", number))
    whole, part = marked.groups() if marked else (number, "")
    return {
        f"{re.sub(r'[^0-9]', '', digits).lstrip('0')}.{decimals.rstrip('0')}".strip(".")
        for digits, decimals in ((whole, part), (whole + part, ""))
    }


def _rows(data: str | bytes, profile: str) -> Iterator[tuple[int, list[str], list[str]]]:
    """Yield the line, column names and cells of each row below the profile's headings."""
    if isinstance(data, bytes):
        for encoding in ("utf-8-sig", "cp1252"):
            try:
                data = data.decode(encoding)
                break
            except UnicodeDecodeError:
                continue
    known = load_profiles().get(profile)
    for delimiter in ",;\t|":
        reader = csv.reader(io.StringIO(str(data).removeprefix("\ufeff")), delimiter=delimiter)
        headings: list[str] | None = None
        begin = 1
        for cells in reader:
            if headings is not None:
                yield begin, headings, cells
            elif (match := known.match(Headings(cells, len(cells), begin))) is not None:
                headings = list(match.names)
            begin = reader.line_num + 1
        if headings is not None:
            return
