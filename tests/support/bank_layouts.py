"""Random CSV files of banks without a profile, each with the records it stands for.

samples/bank_words.ini has the words that banks print; none is copied from the importer.
"""

import configparser
import csv
import dataclasses
import io
import random
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path


@dataclass(frozen=True)
class Language:
    """Headings with their variants, and the formats of dates and numbers."""

    day: tuple[str, ...]
    value_day: tuple[str, ...]
    payee: tuple[str, ...]
    note: tuple[str, ...]
    amount: tuple[str, ...]
    debit: tuple[str, ...]
    credit: tuple[str, ...]
    balance: tuple[str, ...]
    currency: tuple[str, ...]
    way: tuple[tuple[str, str, str], ...]
    status: tuple[tuple[str, str, str], ...]
    opening: tuple[str, ...]
    months: str
    dates: tuple[str, ...]
    comma: bool


def _words(text):
    return tuple(text.split("|"))


def _ways(text):
    return tuple(tuple(each.split("/")) for each in text.split("|"))


def _language(words):
    read = dict.fromkeys(Language.__annotations__, _words)
    read |= {"way": _ways, "status": _ways, "months": str, "comma": "yes".__eq__}
    return Language(**{name: read[name](text) for name, text in words.items()})


_FILE = configparser.ConfigParser(interpolation=None)
_FILE.read(Path(__file__).parents[1] / "samples" / "bank_words.ini", "utf-8")
LANGUAGES = {code: _language(_FILE[code]) for code in _FILE.sections()}

PAYEES = """Corner Shop|Zielona Apteka|Bäckerei Huber|Café Nero|Employer Ltd|City Rail|Água Viva|
Nordic Power AB|Librairie Dupont|Farmacia Verdi|Kino Praha|Jansen & Zn""".replace("\n", "")
NOTES = """weekly shop|invoice 4711|rent March|salary|tickets|card 1234 purchase|gift for Ana|
membership|refund order 88|electricity|coffee and cake|dinner""".replace("\n", "")


@dataclass
class File:
    """text: the file. days, units, payees, notes: one of each per record, in the file's order.

    closing: the balance after the newest record, if the file has balances. label: how the file was
    made. heading: the index of the line with the headings.
    """

    text: str
    days: list[date]
    units: list[int]
    payees: list[str]
    notes: list[str]
    closing: int | None
    label: str
    heading: int


SHAPES = ("signed", "signed", "signed", "sides", "sides", "words", "words", "balance")


def make(seed):
    """Make an ordinary, undamaged file."""
    pick = random.Random(seed)
    code = pick.choice(list(LANGUAGES))
    of = LANGUAGES[code]
    shape = pick.choice(SHAPES)
    has_balance = shape == "balance" or pick.random() < 0.45
    form = pick.choice(of.dates)
    comma = of.comma if pick.random() < 0.85 else not of.comma
    grouped = pick.random() < 0.35
    delimiter = pick.choice(";,\t" if comma else ",,;\t")
    newest_first = pick.random() < 0.5
    count = pick.choice((4, 6, 9, 14, 25, 40))
    day = date(2026, pick.randint(1, 6), pick.randint(1, 28))
    rows, balance = [], pick.randint(-5_000, 900_000)
    first = balance
    for _ in range(count):
        day += timedelta(days=pick.choice((0, 1, 1, 2, 3, 5)))
        cents = pick.choice((1, 1, 1, 10, 100)) * pick.randint(99, 25_000)
        cents *= 1 if pick.random() < 0.25 else -1
        balance += cents
        payee, note = pick.choice(PAYEES.split("|")), pick.choice(NOTES.split("|"))
        rows.append((day, cents, balance, payee, note))
    if not {1, -1} <= {1 if cents > 0 else -1 for _, cents, *_ in rows}:
        return make(seed + 1_000_003)
    columns = [("day", pick.choice(of.day))]
    if pick.random() < 0.4:
        columns.append(("value", pick.choice(of.value_day)))
    texts = [("payee", pick.choice(of.payee)), ("note", pick.choice(of.note))]
    if pick.random() < 0.4:
        texts = [texts[1]]
    columns += texts
    if shape == "sides":
        which = pick.randrange(len(of.debit))
        money = [("debit", of.debit[which]), ("credit", of.credit[which])]
    else:
        money = [("amount", pick.choice(of.amount))]
    if shape == "words":
        way, word_out, word_in = pick.choice(of.way)
        money.append(("way", way))
    else:
        word_out = word_in = ""
    has_currency = pick.random() < 0.3
    if has_currency:
        money.append(("currency", pick.choice(of.currency)))
    if has_balance:
        money.append(("balance", pick.choice(of.balance)))
    status = pick.choice(of.status) if pick.random() < 0.2 else None
    if status:
        money.append(("status", status[0]))
    if pick.random() < 0.2:
        money = money[::-1] if pick.random() < 0.3 else money
        columns = [columns[0], *money, *columns[1:]]
    else:
        columns += money
    if len({heading for _, heading in columns}) < len(columns):
        return make(seed + 1_000_003)

    def number(cents, plus=False):
        text = f"{abs(cents) // 100:,}.{abs(cents) % 100:02}"
        if not grouped:
            text = text.replace(",", "")
        if comma:
            text = text.translate(str.maketrans(",.", ".,"))
        return ("-" if cents < 0 else "+" if plus else "") + text

    def cells(row):
        day, cents, balance, payee, note = row
        found = {
            "day": form_day(day, form, of),
            "value": form_day(day, form, of),
            "payee": payee,
            "note": note,
            "amount": number(cents if shape == "signed" else abs(cents)),
            "debit": number(-cents) if cents < 0 else "",
            "credit": number(cents) if cents > 0 else "",
            "way": word_out if cents < 0 else word_in,
            "currency": "EUR",
            "balance": number(balance),
            "status": status and status[1],
        }
        return [found[name] for name, _ in columns]

    lines = [cells(row) for row in rows]
    if status and pick.random() < 0.5:
        # This row is void or pending, so it does not change the balance.
        at = pick.randrange(len(rows))
        day, _, balance_then, payee, note = rows[at]
        pending = cells((day, -pick.randint(100, 9_000), balance_then, payee, note))
        names = [name for name, _ in columns]
        pending[names.index("status")] = status[2]
        if has_balance:
            pending[names.index("balance")] = ""
        lines.insert(at + 1, pending)
    if has_balance and pick.random() < 0.25:
        names = [name for name, _ in columns]
        opening = ["" for _ in columns]
        opening[names.index("day")] = form_day(rows[0][0], form, of)
        opening[names.index(texts[-1][0])] = pick.choice(of.opening)
        opening[names.index("balance")] = number(first)
        if status:
            opening[names.index("status")] = status[1]
        lines.insert(0, opening)
    if newest_first:
        lines, rows = lines[::-1], rows[::-1]
    preamble = []
    if pick.random() < 0.25:
        preamble = [["Bank AG"], ["", ""], ["Account", "Giro"]][: pick.randint(1, 3)]
    stream = io.StringIO()
    quoting = csv.QUOTE_ALL if pick.random() < 0.3 else csv.QUOTE_MINIMAL
    writer = csv.writer(stream, delimiter=delimiter, quoting=quoting, lineterminator="\r\n")
    writer.writerows([*preamble, [heading for _, heading in columns], *lines])
    return File(
        stream.getvalue(),
        [row[0] for row in rows],
        [row[1] * 100 for row in rows],
        [row[3] if len(texts) == 2 else "" for row in rows],
        [row[4] for row in rows],
        balance * 100 if has_balance else None,
        f"{seed}: {code} {shape} {form}{' balance' if has_balance else ''}"
        f"{' preamble' if preamble else ''}{' status' if status else ''}",
        len(preamble),
    )


def form_day(day, form, of):
    month = of.months.split()[day.month - 1]
    return day.strftime(form.replace("%b", month))


#: The kinds of damage that `damaged` can do to a bank's file.
DAMAGES = (
    "swallowed", "more cells", "lost row", "year", "not booked", "stated balance", "fee",
    "two accounts",
)  # fmt: skip
#: Status columns: the heading, the word of booked rows, and the word of a row not booked.
STATUSES = tuple(
    tuple(part.strip() for part in each.split("/"))
    for each in """Status/Booked/Authorised|Booking state/booked/pre-booked|
Umsatzstatus/gebucht/offen|Pending/false/true|Planned/no/yes|Hidden/0/1|Info//vorgemerkt|Art/Buchung/Vormerkung|Storno//X|
Statut/Validé/En cours de traitement|Estado/Realizado/Retenido|Stato/Eseguito/Da contabilizzare|
Zaksięgowano/tak/nie|Stav/Provedeno/Blokace|Durum/Gerçekleşti/Provizyon|Excluded/false/true|
Forecast/No/Yes|State/Posted/Draft|Status/ok/KO|Bearbeitungsstatus/abgeschlossen/in Prüfung|
Buchungsstatus/verbucht/nicht gebucht|Transaction status/Settled/Unsettled|Booked/yes/no""".replace(
        "\n", ""
    ).split("|")
)
STATED = """Opening balance|Saldovortrag|Anfangssaldo|Solde initial|Balance b/f|Opening Bal.|
Report|Carried fwd|Endsaldo|Closing balance|Page total|Seitensumme|Net change|
Total movements|Summe Umsätze|
Nyitóegyenleg|Saldo al 01/01/2026|Sum of all transactions|Total débits""".replace("\n", "")


def damaged(file, damage, seed):
    """Return the file with one fault, or None if the fault is impossible or would not show.

    The expected records stay the same: an importer that reads other ones silently is wrong.
    """
    pick = random.Random(seed)
    lines = file.text.splitlines(keepends=True)
    rows = range(len(lines) - len(file.days) + 1, len(lines) - 1)
    if not rows or '"' in file.text or (damage == "two accounts" and "status" in file.label):
        return None
    at = pick.choice(rows)
    delimiter = next(d for d in ";\t," if lines[file.heading].count(d) > 1)
    if damage == "swallowed":
        cells, after = lines[at].split(delimiter), lines[at + 1].split(delimiter)
        column = pick.randrange(1, len(cells) - 1)
        cells[column] = '"' + cells[column]
        after[column] += '"'
        lines[at], lines[at + 1] = delimiter.join(cells), delimiter.join(after)
    elif damage == "more cells":
        end = lines[at].rstrip("\r\n")
        lines[at] = f"{end}{delimiter}50\r\n"
    elif damage == "year":
        if "2026" not in lines[at]:
            return None
        lines[at] = lines[at].replace("2026", "0202")
    elif damage == "not booked":
        heading, happened, not_yet = pick.choice(STATUSES)
        words = [heading, *(happened for _ in lines[file.heading + 1 :])]
        lines.insert(at, lines[at])
        words.insert(at - file.heading, not_yet)
        lines = with_column(lines, file.heading, delimiter, words)
    elif damage == "stated balance":
        note = next((each for each in NOTES.split("|") if each in lines[at]), None)
        if note is None:
            return None
        lines.insert(at, lines[at].replace(note, pick.choice(STATED.split("|"))))
    elif damage == "fee" and file.closing is not None:
        return None
    elif damage in ("fee", "two accounts"):
        # The new column has a meaning that the records would not show.
        file = dataclasses.replace(file, days=[], units=[], payees=[], notes=[])
        headings, values = {
            "fee": (("Fee", "Gebühr", "Tip", "FX fee"), ("0.00", "1.25")),
            "two accounts": (("Account Number", "Kontoname", "Konto"), ("10020030", "40050060")),
        }[damage]
        words = [pick.choice(headings), *values, *(pick.choice(values) for _ in lines)]
        # The first and last movements differ: it is not enough if only a balance line does.
        words[rows.start - 1 - file.heading], words[len(lines) - 1 - file.heading] = values
        lines = with_column(lines, file.heading, delimiter, words)
    else:
        # Only the balances reveal a lost row.
        if file.closing is None or at in (rows[0], rows[-1]) or "status" in file.label:
            return None
        del lines[at]
    return dataclasses.replace(file, text="".join(lines))


def with_column(lines, heading, delimiter, words):
    """Return the lines with another column, from the line of the headings on."""
    rows = zip(lines[heading:], words, strict=False)
    return lines[:heading] + [f"{row.rstrip()}{delimiter}{word}\r\n" for row, word in rows]
