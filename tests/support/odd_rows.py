"""Random CSV files with rows that are not money, each with the records it stands for."""

import random
from dataclasses import dataclass
from datetime import date, timedelta

from support.bank_layouts import LANGUAGES, NOTES, PAYEES, form_day

#: What is odd about a file: see `make`.
KINDS = (
    *("plain", "total", "total between", "shop", "brought forward", "stated", "stated wrongly"),
    *("below", "columns", "two tables", "same headings", "count", "divided", "end mark"),
    *("no amount", "not booked", "not booked between", "headings again", "shares", "letters"),
    *("row types", "row types wrongly", "repeated cells", "doubled minus", "doubled minus alone"),
    *("reversal", "reversal with balances", "undone", "parts", "parts with balances"),
    "total of charges",
)
TOTALS = "Total|Total balance|Summe|Gesamtsumme|Solde|Saldo|Totaal|Suma|Celkem|Summa|Grand total"
SHOPS = "Total Wine Store|Total Energies|Saldo Markt|Suma Foods|Balance Yoga|Bar Solde"
ENDS = """Opening balance/Closing balance|Balance brought forward/Balance carried forward|
Anfangssaldo/Endsaldo|Alter Kontostand/Neuer Kontostand|Solde initial/Solde final|
Saldo inicial/Saldo final|Saldo iniziale/Saldo finale|Beginsaldo/Eindsaldo|
Saldo początkowe/Saldo końcowe|Počáteční stav/Konečný stav|openingBalance/closingBalance|
Ingående saldo/Utgående saldo|Начальный остаток/Конечный остаток""".replace("\n", "")
BOOKED = "Booking date|Buchungstag|Date de comptabilisation|Data contabile|Data księgowania"
#: Words of rows without an amount.
KINDS_WITHOUT = "Hinweis|Kartensperre|Zinssatz geändert|Notice|Limit changed|Avis|Info"
#: Headings of columns that say what kind of row each is; and words for the opening balance,
#: transactions, sums, and the closing balance.
ROW_TYPES = "Row type|Eilutės tipas|Ieraksta tips|Kirje liik|Tips|Satzart|"
TYPES = "10/20/82/86|AS/TT/K2/LS|O/T/S/C|0/1/8/9"
#: Headings of marks at rows that undo others, or at rows that were undone.
REVERSALS = "Storno|Stornierung|Reversal|Stornobuchung|Is reversal"
UNDONE = f"{REVERSALS}|Cancelled|Storniert|Voided|Deleted"
YES = "ja/|ja/nein|yes/no|Y/N|true/false|x/|1/0"
CHARGES = "Total new charges|Total charges|Summe der Lastschriften|Total des achats|Suma de compras"
#: Texts of rows that are the parts of the row above or below them.
PARTS = "Einzelposten|Position|Item|Part|Dont|di cui"
MARKS = "***END OF FILE***|<end>|Ende|-- fin --"


@dataclass
class Odd:
    """text: the file. records: (day, ten-thousandths) of each record; None if it must be refused.

    closing: the balance after the last row, in ten-thousandths, if the file states it.
    """

    text: str
    records: list[tuple[str, int]] | None
    closing: int | None = None


class _Writer:
    """Writes rows in the words and forms of one bank."""

    def __init__(self, pick: random.Random) -> None:
        self.of = of = LANGUAGES[pick.choice(list(LANGUAGES))]
        self.form = pick.choice(of.dates)
        self.comma = of.comma if pick.random() < 0.85 else not of.comma
        self.delimiter = pick.choice(";\t" if self.comma else ",;\t")
        self.sides = pick.random() < 0.35
        which = pick.randrange(len(of.debit))
        money = [of.debit[which], of.credit[which]] if self.sides else [pick.choice(of.amount)]
        self.columns = [pick.choice(of.day), pick.choice(of.payee), pick.choice(of.note), *money]
        self.ends_in_delimiter = pick.random() < 0.2

    def number(self, cents: int) -> str:
        text = f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02}"
        return text.replace(".", ",") if self.comma else text

    def line(self, *cells: str) -> str:
        return self.delimiter.join(cells) + (self.delimiter if self.ends_in_delimiter else "")

    def headings(self) -> str:
        return self.line(*self.columns)

    def money(self, cents: int) -> list[str]:
        if not self.sides:
            return [self.number(cents)]
        return [self.number(-cents), ""] if cents < 0 else ["", self.number(cents)]

    def row(self, day: date, payee: str, note: str, cents: int) -> str:
        return self.line(form_day(day, self.form, self.of), payee, note, *self.money(cents))


def _rows(pick: random.Random, day: date) -> list[tuple[date, str, str, int]]:
    rows = []
    for _ in range(pick.choice((3, 5, 8, 13))):
        day += timedelta(days=pick.choice((1, 2, 5, 17)))
        cents = pick.randint(100, 90_000) * pick.choice((1, -1, -1))
        rows.append((day, pick.choice(PAYEES.split("|")), pick.choice(NOTES.split("|")), cents))
    ways = [1, -1, -1][: len(rows)]
    return [(*row[:3], way * abs(row[3])) for way, row in zip(ways, rows, strict=False)] + rows[3:]


def make(seed: int, kind: str) -> Odd:  # noqa: C901 - one case for each kind
    pick = random.Random(f"{seed} {kind}")
    writer = _Writer(pick)
    rows = _rows(pick, date(2026, 1, pick.randint(12, 28)))
    total = sum(row[3] for row in rows)
    opening = pick.randint(0, 500_000)
    first, last = pick.choice(ENDS.split("|")).split("/")
    lines = [writer.row(*row) for row in rows]
    above: list[str] = []
    below: list[str] = []
    records = [(str(day), cents * 100) for day, _, _, cents in rows]
    closing = None
    on_last = rows[-1][0]

    def named(text: str, cents: int) -> str:
        """Return a dated row that is not money, with its text where the payee is, or the note."""
        texts = (text, "") if pick.random() < 0.5 else ("", text)
        return writer.row(on_last, *texts, cents)

    match kind:
        case "total":
            below = [named(pick.choice(TOTALS.split("|")), total)]
        case "total between":
            lines.append(named(pick.choice(TOTALS.split("|")), total))
            rest = _rows(pick, on_last)
            lines += [writer.row(*row) for row in rest]
            records += [(str(day), cents * 100) for day, _, _, cents in rest]
        case "shop":
            at, cents = pick.randrange(1, len(lines) + 1), -pick.randint(100, 9_000)
            if cents in (total, -total):
                return make(seed + 1_000_003, kind)
            day = rows[min(at, len(rows) - 1)][0]
            lines.insert(at, writer.row(day, pick.choice(SHOPS.split("|")), "card", cents))
            records.append((str(day), cents * 100))
        case "brought forward":
            lines.insert(0, writer.row(rows[0][0], first, first, opening))
            lines.append(writer.row(on_last, last, last, opening + total))
            closing = opening + total
        case "stated" | "stated wrongly":
            closing = opening + total + (pick.randint(1, 900) if kind == "stated wrongly" else 0)
            above = [writer.line(first, writer.number(opening))]
            stated = writer.line(last, writer.number(closing))
            (above if pick.random() < 0.5 else below).append(stated)
            above += [""] * pick.randrange(2)
        case "below":
            closing = opening + total
            below = [writer.line(last, *[""] * pick.randrange(3), writer.number(closing))]
        case "columns":
            closing = opening + total
            both = first, last
            stated = [writer.number(opening), writer.number(closing)]
            if writer.ends_in_delimiter:
                return make(seed + 1_000_003, kind)
            writer.columns += both
            lines = [writer.line(line, *stated) for line in lines]
        case "two tables" | "same headings":
            rest = _rows(pick, on_last)
            other = _Writer(pick) if kind == "two tables" else writer
            below = [""] * pick.randrange(2) + [other.headings()]
            below += [other.row(*row) for row in rest]
            records += [(str(day), cents * 100) for day, _, _, cents in rest]
        case "count":
            above = ["AccountId,StatementCreated,NumTransactions,NetAmount"]
            above += [f"77,{on_last},{len(rows)},{total / 100:.2f}"] + [""] * pick.randrange(2)
        case "divided":
            writer.comma, writer.delimiter, writer.sides = True, ",", False
            writer.ends_in_delimiter = False
            writer.columns = [writer.columns[0], "Payee", writer.columns[3], "Note"]
            writer.form = "%Y-%m-%d"
            lines = []
            for number, (day, payee, note, cents) in enumerate(rows):
                is_bare = number == 1 or pick.random() < 0.5
                amount = writer.number(cents)
                cells = (amount,) if is_bare else (f'"{amount}"', pick.choice((note, "")))
                lines.append(writer.line(str(day), payee, *cells))
        case "end mark":
            below = [pick.choice(MARKS.split("|"))]
        case "no amount":
            words = pick.sample(KINDS_WITHOUT.split("|"), pick.randint(1, 2))
            for number in range(pick.randint(1, 3)):
                nothing = ["", ""] if writer.sides else [""]
                day = form_day(rows[0][0], writer.form, writer.of)
                text = writer.line(day, "", words[number % len(words)], *nothing)
                lines.insert(pick.randrange(len(lines) + 1), text)
        case "not booked" | "not booked between":
            writer.columns.insert(0, pick.choice(BOOKED.split("|")))
            writer.columns[1] = "Value date"
            newest = pick.randint(1, len(rows) // 2)
            open_ = {*range(len(rows) - newest, len(rows))}
            if kind == "not booked between":
                open_ = {pick.randrange(1, len(rows) - 1)}
            days = [form_day(row[0], writer.form, writer.of) for row in rows]
            lines = [
                writer.line("" if n in open_ else day, line)
                for n, (day, line) in enumerate(zip(days, lines, strict=True))
            ]
            if kind == "not booked":
                records = [each for n, each in enumerate(records) if n not in open_]
            if pick.random() < 0.5:
                lines.reverse()
        case "headings again":
            again = writer.headings()
            change = pick.choice((str, str.upper, str.lower, str.title, "{} ".format, " {}".format))
            at = pick.randrange(1, len(lines) + 1)
            pages = [f"Page {pick.randint(1, 9)}"] if pick.random() < 0.3 else []
            lines[at:at] = [*pages, change(again)]
        case "shares":
            writer.sides = False
            writer.columns = [writer.columns[0], "Payee", "Quantity", "Price", "Value", "Amount"]
            lines = []
            for day, payee, _, cents in rows:
                shares, rest = pick.randint(1, 40), pick.randint(1, 99)
                numbers = [
                    f"{shares}",
                    writer.number(abs(cents) // shares),
                    writer.number(-cents + rest),
                ]
                numbers = numbers if pick.random() < 0.8 else ["", "", ""]
                day_text = form_day(day, writer.form, writer.of)
                lines.append(writer.line(day_text, payee, *numbers, writer.number(cents)))
        case "letters":
            out, in_ = pick.choice((("D", "C"), ("D", "K"), ("S", "H"), ("DR", "CR"), ("D", "")))
            writer.sides = False
            writer.columns = [*writer.columns[:3], "Amount"]
            lines = []
            for day, payee, note, cents in rows:
                text = f"{writer.number(abs(cents))} {out if cents < 0 else in_}".strip()
                day_text = form_day(day, writer.form, writer.of)
                lines.append(writer.line(day_text, payee, note, text))
        case "row types" | "row types wrongly":
            heading, types = pick.choice(ROW_TYPES.split("|")), pick.choice(TYPES.split("|"))
            before, of, sums, after = types.split("/")
            writer.ends_in_delimiter = False
            writer.columns.insert(0, heading)
            lines = [writer.row(*row) for row in rows]
            closing = opening + total
            if kind == "row types wrongly":
                closing += pick.randint(1, 900)
            ways = (sum(max(way * row[3], 0) for row in rows) for way in (-1, 1))
            both = [cents * way for way, cents in zip((-1, 1), ways, strict=True)]
            last_rows = [(sums, cents) for cents in both if pick.random() < 0.8] + [
                (after, closing)
            ]
            lines = [writer.line(of, line) for line in lines]
            lines.insert(0, writer.line(before, writer.row(rows[0][0], "", "", opening)))
            pick.shuffle(last_rows)
            lines += [writer.line(word, writer.row(on_last, "", "", c)) for word, c in last_rows]
            closing = None if kind == "row types wrongly" else closing
            if pick.random() < 0.4:
                lines.reverse()
        case "repeated cells":
            # The day stands on its first row alone; so do the account and the kind, if they do.
            writer.ends_in_delimiter = False
            rows = [(day, *row[1:]) for row in rows for day in [row[0]] * pick.randint(1, 3)]
            records = [(str(day), cents * 100) for day, _, _, cents in rows]
            written = [writer.row(*row).split(writer.delimiter, 1) for row in rows]
            before, lines = "", []
            for day_text, rest in written:
                lines.append(writer.line("" if day_text == before else day_text, rest))
                before = day_text
        case "doubled minus" | "doubled minus alone":
            # Each is negative, or each is positive.
            writer.sides = writer.ends_in_delimiter = False
            writer.columns = [*writer.columns[:3], "Amount"]
            way, at = pick.choice((1, -1)), set(pick.sample(range(len(rows)), 2))
            rows = [(*r[:3], way * abs(r[3]) if n in at else r[3]) for n, r in enumerate(rows)]
            total = sum(row[3] for row in rows)
            records = [(str(day), cents * 100) for day, _, _, cents in rows]
            lines, balance = [], opening
            has_balances = kind == "doubled minus" and pick.random() < 0.5
            for n, (day, payee, note, cents) in enumerate(rows):
                balance += cents
                amount = f"--{writer.number(abs(cents))}" if n in at else writer.number(cents)
                cells = [form_day(day, writer.form, writer.of), payee, note, amount]
                cells += [writer.number(balance)] * has_balances
                lines.append(writer.line(*cells))
            writer.columns += ["Balance"] * has_balances
            if kind == "doubled minus" and not has_balances:
                below = [writer.line("", "Total", "", writer.number(total))]
        case "reversal" | "reversal with balances" | "undone":
            writer.ends_in_delimiter = False
            yes, no = pick.choice(YES.split("|")).split("/")
            at = pick.randrange(len(rows))
            day, *texts, cents = rows[at]
            marked = at
            if kind == "undone":
                records.remove((str(day), cents * 100))
            else:
                marked = pick.randint(at + 1, len(rows))
                day = rows[min(marked, len(rows) - 1)][0]
                texts = texts if kind == "reversal" else ["Storno", ""]
                rows.insert(marked, (day, *texts, -cents))
                records.append((str(day), -cents * 100))
            writer.columns.append(
                pick.choice((UNDONE if kind == "undone" else REVERSALS).split("|"))
            )
            balance, has_balances = opening, kind == "reversal with balances"
            writer.columns += ["Saldo"] * has_balances
            lines = []
            for n, row in enumerate(rows):
                balance += row[-1]
                cells = [writer.row(*row), yes if n == marked else no]
                lines.append(writer.line(*cells, *[writer.number(balance)] * has_balances))
            if pick.random() < 0.4:
                lines.reverse()
        case "total of charges":
            closing = opening + total
            charges = sum(min(row[3], 0) for row in rows)
            lines.insert(0, writer.row(rows[0][0], first, "", opening))
            lines.append(named(pick.choice(CHARGES.split("|")), charges))
            lines.append(writer.row(on_last, last, "", closing))
        case "parts" | "parts with balances":
            writer.ends_in_delimiter = False
            has_balances, is_above = kind == "parts with balances", pick.random() < 0.7
            writer.columns += ["Saldo"] * has_balances
            wholes = {
                *pick.sample(range(len(rows) - 1), pick.randint(1, (len(rows) - 1) // 2 or 1))
            }
            lines, balance, word = [], opening, pick.choice(PARTS.split("|"))
            for n, (day, payee, note, cents) in enumerate(rows):
                balance += cents
                stated = [writer.number(balance)] * has_balances
                own = [writer.line(writer.row(day, payee, note, cents), *stated)]
                if n in wholes:
                    some = [cents // 3, cents // 5][: pick.randint(1, 2)]
                    some.append(cents - sum(some))
                    text = pick.choice(("{}", "{} {}"))
                    parts = [
                        writer.line(
                            writer.row(day, text.format(word, number), "", part),
                            *[""] * has_balances,
                        )
                        for number, part in enumerate(some, 1)
                    ]
                    own = own + parts if is_above else parts + own
                lines += own
    text = "\n".join([*above, writer.headings(), *lines, *below]) + "\n"
    is_wrong = kind in ("stated wrongly", "divided", "doubled minus alone")
    return Odd(
        text,
        None if is_wrong else sorted(records),
        None if closing is None or is_wrong else closing * 100,
    )
