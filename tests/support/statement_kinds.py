"""Seeded histories of files, each of a kind that was once misread, with what is true of them.

Each maker takes a random number generator and returns a `History`: the files in the order in which
they are imported, and the accounts that all of them together give.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from random import Random
from typing import Any

from support.bank_files import (
    IBAN,
    camt,
    camt_balance,
    camt_entry,
    camt_statement,
    mt940,
    mt940_entry,
)

FIRST = date(2026, 1, 5)
SHOPS = ("Hill Grocers", "Oak Garage", "Corner Bakery", "Bus", "Coffee Bar", "Book Shop")
EUR = {"account": "A", "currency": "EUR"}


@dataclass
class History:
    """files: each with its options. accounts: each with its amounts, sorted, and its balance.

    balance: None if no file states it. is_wrong: whether one of the files must be refused. says:
    words that a remark of each import, or its refusal, has.
    """

    files: list[tuple[str, dict[str, Any]]]
    accounts: list[tuple[list[Decimal], Decimal | None]]
    is_wrong: bool = False
    says: tuple[str, ...] = ()


def money(rng: Random, low: int = 1, high: int = 90_000) -> Decimal:
    return Decimal(rng.randint(low, high)).scaleb(-2)


def amounts(rng: Random, count: int) -> list[Decimal]:
    """Return amounts of which one comes in, if there are several, and the others go out."""
    found = [-money(rng) for _ in range(count)]
    if count > 1:
        found[rng.randrange(count)] *= -1
    return found


def days(rng: Random, count: int, first: date = FIRST, span: int = 27) -> list[date]:
    return sorted(first + timedelta(rng.randrange(span)) for _ in range(count))


def one(found: list[Decimal], balance: Decimal | None = None) -> list:
    return [(sorted(found), balance)]


def ofx_row(day: date, amount: object, bank_id: str, payee: str, more: str = "") -> str:
    return (
        f"<STMTTRN>{more}<DTPOSTED>{day:%Y%m%d}<TRNAMT>{amount}<FITID>{bank_id}"
        f"<NAME>{payee}</STMTTRN>\n"
    )


def ofx(
    rows: list[str],
    *,
    span: tuple[date, date] | None = None,
    balance: tuple[object, date] | None = None,
    card: bool = False,
) -> str:
    cc, bank = ("CC", "CC") if card else ("", "BANK")
    dates = f"<DTSTART>{span[0]:%Y%m%d}<DTEND>{span[1]:%Y%m%d}" if span else ""
    ledger = (
        f"<LEDGERBAL><BALAMT>{balance[0]}<DTASOF>{balance[1]:%Y%m%d}</LEDGERBAL>" if balance else ""
    )
    return (
        f"OFXHEADER:100\nDATA:OFXSGML\n\n<OFX><{cc}STMTRS><CURDEF>EUR<{bank}ACCTFROM>"
        f"<BANKID>7<ACCTID>4111</{bank}ACCTFROM><BANKTRANLIST>{dates}\n{''.join(rows)}"
        f"</BANKTRANLIST>{ledger}</{cc}STMTRS></OFX>\n"
    )


def ofx_without_signs(rng: Random) -> History:
    """TRNTYPE says the direction, and in some files a type says nothing."""
    files, found = [], []
    has_others, may_come_in = rng.random() < 0.3, rng.random() < 0.7
    for month in range(rng.randint(1, 3)):
        rows = []
        first = FIRST + timedelta(31 * month)
        values = amounts(rng, rng.randint(2, 6))
        if not may_come_in:
            values = [-abs(amount) for amount in values]
        for n, (day, amount) in enumerate(zip(days(rng, len(values), first), values, strict=True)):
            kinds = ("CREDIT", "CREDIT", "DEP", "DIRECTDEP") if amount > 0 else ("DEBIT", "POS")
            kind = rng.choice(kinds)
            rows.append([day, amount, f"{month}x{n}", kind])
        outgoing = rng.choice([row for row in rows if row[1] < 0])
        outgoing[3] = "DEBIT"
        if has_others:
            kinds = rng.choice((("XFER",), ("XFER", "OTHER"), ("ATM",), ("",)))
            of_kinds = [(kind, rng.choice((1, -1))) for kind in kinds]
            for n, (kind, way) in enumerate(rng.choices(of_kinds, k=rng.randint(1, 3))):
                rows.append([first, way * money(rng), f"{month}other{n}", kind])
        found += [amount for _, amount, *_ in rows]
        files.append(
            ofx(
                [
                    ofx_row(day, abs(amount), bank_id, rng.choice(SHOPS), f"<TRNTYPE>{kind}")
                    for day, amount, bank_id, kind in rows
                ]
            )
        )
    return History([(data, {}) for data in files], one(found))


def cards(rng: Random) -> History:
    """A bank states what is owed as a positive number, or as a negative one."""
    sign = rng.choice((1, -1))
    balance = -money(rng)
    statements, found = [], []
    months = rng.randint(1, 4)
    for month in range(months):
        first = FIRST + timedelta(31 * month)
        values = amounts(rng, rng.randint(1, 4))
        balance += sum(values)
        found += values
        rows = [
            ofx_row(day, amount, f"c{month}x{n}", rng.choice(SHOPS))
            for n, (day, amount) in enumerate(
                zip(days(rng, len(values), first), values, strict=True)
            )
        ]
        last = first + timedelta(29)
        statements.append(ofx(rows, span=(first, last), balance=(sign * balance, last), card=True))
    if rng.random() < 0.3:
        body = "".join(each.partition("<OFX>")[2].partition("</OFX>")[0] for each in statements)
        statements = [f"OFXHEADER:100\nDATA:OFXSGML\n\n<OFX>{body}</OFX>"]
    return History([(data, {}) for data in statements], one(found, balance))


def clocks(rng: Random) -> History:
    """Downloads of a growing history, and from one of them on all times are some hours later."""
    rows = []
    for offset in range(rng.randint(3, 9)):
        for _ in range(rng.randint(1, 3)):
            amount = rng.choice((Decimal("-3.50"), Decimal("-3.50"), -money(rng)))
            minutes = rng.choice((8 * 60, 9 * 60, 10 * 60, 18 * 60 + 25, 23 * 60 + 40))
            moment = (FIRST + timedelta(offset)).toordinal() * 1440 + minutes
            rows.append((moment, "Coffee Bar" if amount == Decimal("-3.50") else "Shop", amount))
    rows = sorted(set(rows)) if rng.random() < 0.5 else sorted(rows)
    shift = rng.choice((-2, -1, 1, 2, 5))
    files = []
    ends = sorted(rng.randint(3, len(rows)) for _ in range(rng.randint(2, 3)))
    moved_from = rng.randint(1, len(ends))
    seen = 0
    for n, end in enumerate(ends):
        hours = shift if n >= moved_from else 0
        lines = ["Date,Payee,Amount"]
        # Whole days, so that nobody has to say what belongs to which part of a day.
        last = rows[end - 1][0] // 1440
        chosen = [row for row in rows if row[0] // 1440 <= last]
        seen = max(seen, len(chosen))
        for moment, payee, amount in chosen:
            day, minute = divmod(moment + 60 * hours, 1440)
            at = date.fromordinal(day)
            lines.append(f"{at.isoformat()} {minute // 60:02}:{minute % 60:02},{payee},{amount}")
        files.append("\n".join([*lines, ""]))
    options = {**EUR, "positive": "in"}
    return History([(data, options) for data in files], one([a for *_, a in rows[:seen]]))


def stable_ids(rng: Random) -> History:
    """Downloads with the bank's own ids; the last one may move a transaction by some days."""
    found = [-money(rng) for _ in range(rng.randint(5, 9))]
    of_days = days(rng, len(found))
    ids = [f"{20260000 + 7 * n}T" for n in range(len(found))]
    names = [f"{rng.choice(SHOPS)} {n}" for n in range(len(found))]
    rows = list(zip(of_days, found, ids, names, strict=True))

    def file(chosen):
        return ofx([ofx_row(*row) for row in chosen])

    files = [file(rows[:-1]), file(rows)]
    moved = rows[-1]
    day = moved[0] + timedelta(rng.randint(1, 7))
    moved = (day, moved[1], *moved[2:]) if rng.random() < 0.7 else (day, found[-1] - 1, *moved[2:])
    further = [
        (day + timedelta(n), -money(rng), f"{20269000 + n}T", f"New {n}")
        for n in range(rng.randint(1, 3))
    ]
    files.append(file([moved, *further]))
    records = [*found[:-1], moved[1], *(row[1] for row in further)]
    return History([(data, {}) for data in files], one(records))


def ids_from_one(rng: Random) -> History:
    """The bank numbers the rows of each month from 1; the first one is the rent."""
    files, found = [], []
    for month in range(rng.randint(2, 4)):
        first = FIRST.replace(day=1) + timedelta(31 * month)
        values = [Decimal(-800), *(-money(rng) for _ in range(rng.randint(2, 4)))]
        of_days = [first, *days(rng, len(values) - 1, first + timedelta(1), 20)]
        rows = [
            ofx_row(day, amount, str(n), "LANDLORD" if n == 1 else rng.choice(SHOPS))
            for n, (day, amount) in enumerate(zip(of_days, values, strict=True), 1)
        ]
        found += values
        files += [ofx(rows)] * rng.choice((1, 1, 2))
    return History([(data, {}) for data in files], one(found))


def numbered_downloads(rng: Random) -> History:
    """The bank numbers the rows of each download from 1; the downloads overlap by whole days."""
    of_days = days(rng, rng.randint(6, 30), span=80)
    rows = [(day, -money(rng), rng.choice(SHOPS)) for day in of_days]
    files, found, end = [], set(), FIRST
    for _ in range(rng.randint(3, 6)):
        begin = max(FIRST, end - timedelta(rng.choice((0, 0, 4, 12))))
        end += timedelta(rng.choice((7, 14, 30)))
        taken = [n for n, (day, *_) in enumerate(rows) if begin <= day <= end]
        if taken:
            texts = [
                ofx_row(rows[n][0], rows[n][1], str(i), rows[n][2]) for i, n in enumerate(taken, 1)
            ]
            files += [(ofx(texts, span=(begin, end)), {})] * rng.choice((1, 1, 2))
            found |= {*taken}
    if not files:
        return numbered_downloads(rng)
    return History(files, one([rows[n][1] for n in found]))


def registers(rng: Random) -> History:
    """QIF: opening balances of own accounts, blank lines between splits, months before days."""
    names = ["Giro", "Cash"][: rng.randint(1, 2)]
    style = rng.choice(("each", "listed", "unnamed"))
    if style == "unnamed":
        names = names[:1]
    text = "!Option:MDY\n" if rng.random() < 0.7 else ""
    forms = ("{m}/{d}'{y:02}", "{m:02}/{d:02}/20{y}") if text else ("20{y}-{m:02}-{d:02}",)
    form = rng.choice(forms)
    if style == "listed":
        text += "!Account\n" + "".join(f"N{name}\nTBank\n^\n" for name in names)
    accounts = []

    def written(day):
        return form.format(d=day.day, m=day.month, y=day.year - 2000)

    for name in names:
        opening = money(rng) * rng.choice((1, 1, -1))
        own = f"D{written(FIRST)}\nT{opening:,}\nCX\nPOpening Balance\nL[{name}]\n^\n"
        records, entries = [], [own]
        values = amounts(rng, rng.randint(1, 4))
        for n, (day, amount) in enumerate(zip(days(rng, len(values)), values, strict=True)):
            lines = f"D{written(day)}\nU{amount}\nT{amount}\nPShop {name} {n}\n"
            if rng.random() < 0.4:
                part = -money(rng, high=500)
                blank = rng.choice(("", "S\n$0.00\n", "S\nE\n$\n", "S\n"))
                lines += f"SFood\n${part}\n{blank}SHouse\n${amount - part}\n{blank}"
                records += [part, amount - part]
            else:
                records.append(amount)
            entries.append(lines + "^\n")
        if style == "each":
            text += f"!Account\nN{name}\nTBank\n^\n"
            if rng.random() < 0.3:
                entries.append(entries.pop(0))
        text += "!Type:Bank\n" + "".join(entries)
        accounts.append((sorted(records), opening + sum(records)))
    times = rng.choice((1, 1, 2))
    return History([(text, {"currency": "EUR"})] * times, accounts)


def documents(rng: Random) -> History:
    """camt: a document for each account and day, behind each other in one file."""
    ibans = [IBAN, "FR7630006000011234567890189", "FR7610107001011234567890129"]
    accounts, pieces = [], []
    for iban in ibans[: rng.randint(1, 3)]:
        balance, records = money(rng), []
        for offset in range(rng.randint(1, 2)):
            day = (FIRST + timedelta(offset)).isoformat()
            values = amounts(rng, rng.randint(1, 3))
            balances = [
                camt_balance("OPBD", str(balance), day),
                camt_balance("CLBD", str(balance + sum(values)), day),
            ]
            pieces.append(
                camt(
                    camt_statement(
                        [
                            camt_entry(day, str(a), ref=f"{iban[-3:]}{offset}{n}")
                            for n, a in enumerate(values)
                        ],
                        number=f"<IBAN>{iban}</IBAN>",
                        balances=balances,
                    )
                )
            )
            balance += sum(values)
            records += values
        accounts.append((sorted(records), balance))
    between = rng.choice(("", "\n", " \n\n"))
    if rng.random() < 0.3:
        pieces = [piece.partition("?>\n")[2] if n else piece for n, piece in enumerate(pieces)]
    return History([(between.join(pieces), {})] * rng.choice((1, 2)), accounts)


def balances(rng: Random) -> History:
    """Balances that fit, that do not, of which there is one, and of which nothing can be made."""
    message = rng.choice(("camt.052", "camt.053", "camt.054", "mt940", "ofx"))
    found = amounts(rng, rng.randint(1, 4))
    of_days = days(rng, len(found))
    opening = money(rng) * rng.choice((1, -1))
    closing = opening + sum(found)
    begin, end = of_days[0], of_days[-1]
    state = rng.choice(("both", "wrong", "opening", "closing", "others"))
    if state == "wrong":
        closing += money(rng)
    numbers = f"{opening.normalize():f}", f"{closing.normalize():f}"
    says = numbers if state == "wrong" else ()
    rows = list(zip(of_days, found, strict=True))
    first, last = (str(n) for n in (opening, closing))
    if message == "ofx":
        # The format has no opening balance.
        state = rng.choice(("closing", "others"))
        data = ofx(
            [ofx_row(day, a, f"b{n}", "Shop") for n, (day, a) in enumerate(rows)],
            balance=(opening + sum(found), end),
        )
        if state == "others":
            data = rng.choice(
                (
                    data.replace("LEDGERBAL", "AVAILBAL"),
                    data.replace(f"<DTASOF>{end:%Y%m%d}</LEDGERBAL>", "</LEDGERBAL>"),
                )
            )
        says = ("not used",) if state == "others" else ()
        return History(
            [(data, {})], one(found, sum(found) + opening * (state == "closing")), says=says
        )
    if message == "mt940":
        entries = [
            mt940_entry(day.isoformat(), str(a), ref=f"b{n}") for n, (day, a) in enumerate(rows)
        ]
        state = rng.choice(("both", "closing")) if state in ("opening", "others") else state
        data = mt940(
            entries,
            opening=None if state == "closing" else (first, begin.isoformat()),
            closing=(last, end.isoformat()),
        )
    else:
        codes = {
            "both": ("OPBD", "CLBD"),
            "wrong": (rng.choice(("OPBD", "PRCD")), "CLBD"),
            "opening": (rng.choice(("OPBD", "PRCD")), ""),
            "closing": ("", "CLBD"),
            "others": rng.choice((("OPAV", "CLAV"), ("", "XPCD"), ("", "INFO"))),
        }[state]
        stated = [
            camt_balance(code, amount, day.isoformat())
            for code, amount, day in zip(codes, (first, last), (begin, end), strict=True)
            if code
        ]
        entries = [
            camt_entry(day.isoformat(), str(a), ref=f"b{n}") for n, (day, a) in enumerate(rows)
        ]
        data = camt(camt_statement(entries, balances=stated), message=message)
        says = ("not used", codes[1]) if state == "others" else says
    total = sum(found) if state == "others" else opening + sum(found)
    return History([(data, {})], one(found, total), state == "wrong", says=says)


def reversals(rng: Random) -> History:
    """Bookings that are reversed; some banks state the direction of what was reversed."""
    found = amounts(rng, rng.randint(2, 6))
    of_days = days(rng, len(found))
    reversed_ = rng.sample(range(len(found)), rng.randint(1, 2))
    opening = money(rng)
    entries = []
    is_turned, has_balances = rng.random() < 0.5, rng.random() < 0.7
    for number, (day, amount) in enumerate(zip(of_days, found, strict=True)):
        entries.append(camt_entry(day.isoformat(), str(amount), ref=f"b{number}"))
        if number in reversed_:
            stated = amount if is_turned and has_balances else -amount
            further = "<RvslInd>true</RvslInd>"
            ref = f"r{number}"
            entries.append(camt_entry(day.isoformat(), str(stated), ref=ref, further=further))
    found = [*found, *(-found[number] for number in reversed_)]
    rng.shuffle(entries)
    balance = opening + sum(found)
    stated_balances = [
        camt_balance("OPBD", str(opening), of_days[0].isoformat()),
        camt_balance("CLBD", str(balance), of_days[-1].isoformat()),
    ]
    data = camt(camt_statement(entries, balances=stated_balances if has_balances else ()))
    return History([(data, {})], one(found, balance if has_balances else None))


KINDS: tuple[Callable[[Random], History], ...] = (
    ofx_without_signs,
    cards,
    clocks,
    stable_ids,
    ids_from_one,
    numbered_downloads,
    registers,
    documents,
    balances,
    reversals,
)
