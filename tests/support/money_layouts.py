"""Random CSV files that state directions, balances or currencies in uncommon ways.

Each file has the records that it stands for. None of the words is copied from the importer.
"""

import csv
import dataclasses
import io
import random
from datetime import date, timedelta
from decimal import Decimal

#: A heading, the word for money going out, and the word for money coming in.
WAYS = tuple(
    tuple(each.split("/"))
    for each in """Type/debit/credit|Direction/Out/In|Dr Cr/DR/CR|D or C/D/C|
Transaction type/Withdrawal/Deposit|Soll Haben/S/H|Umsatzart/Lastschrift/Gutschrift|
Richtung/Ausgang/Eingang|Art/Auszahlung/Einzahlung|Sens/Débit/Crédit|Sens/D/C|
Type/Dépense/Recette|Tipo/Cargo/Abono|Tipo/Gasto/Ingreso|Debe Haber/D/H|Signo/-/+|
Tipo/Addebito/Accredito|Segno/Dare/Avere|Tipo/Saída/Entrada|Tipo/Despesa/Receita|
Af Bij/Af/Bij|Type/Uitgave/Inkomst|Typ/Wydatek/Przychód|Strona/Wn/Ma|
Strona/Obciążenie/Uznanie|Typ/Výdaj/Příjem|Směr/odchozí/příchozí|D-K/D/K|
Typ/Uttag/Insättning|Type/Udgift/Indtægt|Típus/Terhelés/Jóváírás|Тип/Расход/Доход|
Тип/Списание/Зачисление|Tür/Borç/Alacak|Tip/Isplata/Uplata|D-K/Debetas/Kreditas|
Flow/outgoing/incoming|구분/출금/입금|收支/支出/收入|Tip/Plată/Încasare|Inn Ut/Ut/Inn|
Type/Expense/Income|Sign/Spent/Received""".replace("\n", "").split("|")
)
#: Words that nobody knows: with signs, the signs decide.
UNKNOWN = (("Type", "W", "D"), ("Kind", "A", "B"), ("Type", "Quax", "Brill"))
BALANCES = (
    "Balance|Saldo|Solde|Kontostand|Running Balance|Zůstatek|Saldo po operacji|Egyenleg|Bakiye"
).split("|")
AVAILABLE = "Available Balance|Disponible|Solde disponible|Saldo disponibile".split("|")
LIMITS = "Available credit|Credit limit|Remaining limit|Kreditlimit|Límite de crédito".split("|")
SHOPS = "Corner Shop|Bäckerei Huber|Farmacia Verdi|Kino Praha|Oak Garage|City Rail|Grocer".split(
    "|"
)
PAYERS = "Widget Works|Employer Ltd|Aunt Mary|Council".split("|")
REPAID = (
    "PAYMENT - THANK YOU|AUTOPAY|Online payment|Zahlung erhalten, danke|Paiement reçu merci|"
    "Payment Received|PAGO RECIBIDO|Inbetalning|Spłata karty|Refund Corner Shop"
).split("|")
CARDS = "Visa Card|Kreditkarte|Mastercard|My credit card|Carte de crédit".split("|")


@dataclasses.dataclass
class File:
    """text: the file. records: day and ten-thousandths of each record by account, in any order.

    closing: the balance of the only account after its newest record; None if the file states none.
    is_plain: whether the file leaves nothing open, so that a question is needless. label: how the
    file was made.
    """

    text: str
    account: str
    currency: str
    records: dict[str, list[tuple[str, int]]]
    closing: int | None
    is_plain: bool
    label: str


@dataclasses.dataclass
class Row:
    day: date
    cents: int
    text: str
    cells: list[str] = dataclasses.field(default_factory=list)


def _rows(pick, count, *, is_card=False, mostly_in=False):
    day, rows = date(2026, pick.randint(1, 6), pick.randint(13, 28)), []
    for number in range(count):
        day += timedelta(days=pick.choice((0, 0, 1, 2, 5)))
        share = 0.7 if mostly_in else 0.25
        is_in = pick.random() < share if not is_card else False
        if number < 2:
            is_in = number == (1 if mostly_in else 0) and not is_card
        cents = pick.randint(101, 90_000)
        text = pick.choice(PAYERS if is_in else SHOPS)
        rows.append(Row(day, cents if is_in else -cents, text))
    if mostly_in:
        # Income has the majority, and what goes out is no payment of a card.
        for row in rows[2 : count // 2 + 2]:
            row.cents, row.text = abs(row.cents), pick.choice(PAYERS)
    if is_card:
        # Less than half of the rows lower the debt.
        for row in pick.sample(rows, pick.randint(1, (count - 1) // 2)):
            row.cents, row.text = -row.cents, pick.choice(REPAID)
    return rows


def _number(cents, pick_comma, places=2):
    text = f"{abs(cents) // 100}.{abs(cents) % 100:02}" if places == 2 else str(abs(cents) // 100)
    return ("-" if cents < 0 else "") + (text.replace(".", ",") if pick_comma else text)


def _written(pick, headings, rows, comma):
    """Return the file's text. rows: lists of cells."""
    table = [headings, *rows]
    if pick.random() < 0.3:
        # A column of ids that tells nothing else.
        for number, cells in enumerate(table):
            cells.insert(0, "Ref" if not number else f"T{number:05}x")
    stream = io.StringIO()
    delimiter = pick.choice(";\t") if comma else pick.choice(",;\t")
    quoting = csv.QUOTE_ALL if pick.random() < 0.3 else csv.QUOTE_MINIMAL
    csv.writer(stream, delimiter=delimiter, quoting=quoting).writerows(table)
    return stream.getvalue()


def _truth(rows):
    return [(row.day.isoformat(), row.cents * 100) for row in rows]


WORD_SHAPES = ("unsigned", "agree", "turned", "refunds", "one word", "one agreeing", "third word",
    "blank")  # fmt: skip


def make_words(seed):
    """Make a file with a column of words for directions."""
    pick = random.Random(f"words {seed}")
    heading, out, in_ = way = pick.choice((*WAYS, *UNKNOWN))
    shape = pick.choice(("unsigned", "agree") if way in UNKNOWN else WORD_SHAPES)
    rows = _rows(pick, pick.choice((4, 6, 9, 15)))
    comma = pick.random() < 0.4
    words = [out if row.cents < 0 else in_ for row in rows]
    shown = [abs(row.cents) for row in rows]
    if shape == "agree":
        shown = [row.cents for row in rows]
    elif shape == "turned":
        shown = [-row.cents for row in rows]
    elif shape == "refunds" and sum(row.cents < 0 for row in rows) > 1:
        at = next(n for n, row in enumerate(rows) if row.cents < 0)
        rows[at].cents, shown[at] = -rows[at].cents, -shown[at]
    elif shape in ("one word", "one agreeing"):
        for row in rows:
            row.cents = -abs(row.cents)
        for row in rows[1 : pick.randint(1, (len(rows) - 1) // 2) + 1]:
            row.cents, row.text = -row.cents, "Refund " + row.text
        words = [out for _ in rows]
        shown = [row.cents * (1 if shape == "one agreeing" else -1) for row in rows]
    elif shape in ("third word", "blank"):
        words[pick.randrange(1, len(rows))] = "Umbuchung" if shape == "third word" else ""
    cells = [
        [row.day.isoformat(), row.text, _number(units, comma), word]
        for row, units, word in zip(rows, shown, words, strict=True)
    ]
    headings = ["Date", "Description", "Amount", heading]
    is_plain = shape in ("agree", "one agreeing") and heading != "D or C"
    text = _written(pick, headings, cells, comma)
    label = f"words {seed}: {shape} {heading} {out}/{in_}"
    return File(text, "Giro", "EUR", {"Giro": _truth(rows)}, None, is_plain, label)


@dataclasses.dataclass
class _Shape:
    """How a file states balances."""

    amounts: str
    where: str
    is_owed: bool
    is_turned: bool
    newest_first: bool
    beside: str | None
    comma: bool

    @classmethod
    def pick(cls, pick, *, is_card, mostly_in):
        amounts = pick.choice(("signed", "signed", "sides", "unsigned"))
        if mostly_in and amounts == "unsigned":
            # Nobody can know which way the first row went if all others come in.
            amounts = "signed"
        where = pick.choice(("after", "after", "after", "before", "by day", "shuffled"))
        return cls(
            amounts,
            "after" if amounts == "unsigned" and where != "before" else where,
            is_card and pick.random() < 0.75,
            is_card and amounts == "signed" and pick.random() < 0.6,
            pick.random() < 0.5,
            pick.choice((None, None, "available", "limit")),
            pick.random() < 0.4,
        )

    def money(self, cents):
        """Return the cells of an amount."""
        text = _number(abs(cents), self.comma)
        if self.amounts == "sides":
            return [text, ""] if cents < 0 else ["", text]
        if self.amounts == "unsigned":
            return [text]
        return [_number(-cents if self.is_turned else cents, self.comma)]

    def ordered(self, pick, rows):
        """Return the pairs of a row and its balance in the file's order. rows: oldest first."""
        if self.where == "shuffled":
            pick.shuffle(rows)
            rows.sort(key=lambda each: each[0].day)
        rows = rows[::-1] if self.newest_first else rows
        if self.where != "by day":
            return rows
        # The balance stands on the first or the last printed row of its day.
        is_last = not self.newest_first or pick.random() < 0.5
        last = {row.day: text for row, text in (rows[::-1] if self.newest_first else rows)}
        moved, days = [], [row.day for row, _ in rows]
        for number, (row, _) in enumerate(rows):
            near = number + 1 if is_last else number - 1
            is_end = not 0 <= near < len(days) or days[near] != row.day
            moved.append((row, last[row.day] if is_end else ""))
        return moved


def make_balances(seed):
    """Make a file with balances: before or after rows, owed, by day, in any order of a day."""
    pick = random.Random(f"balances {seed}")
    is_card = pick.random() < 0.45
    mostly_in = not is_card and pick.random() < 0.3
    rows = _rows(pick, pick.choice((6, 9, 15, 30)), is_card=is_card, mostly_in=mostly_in)
    if rows[0].day == rows[-1].day:
        return make_balances(seed + 1_000_003)
    shape = _Shape.pick(pick, is_card=is_card, mostly_in=mostly_in)
    balance = pick.randint(-90_000, -9_000) if is_card else pick.randint(100_000, 900_000)
    stated, available = [], {}
    for row in rows:
        before, balance = balance, balance + row.cents
        state = before if shape.where == "before" else balance
        available[id(row)] = _number(200_000 + state, shape.comma)
        stated.append((row, _number(-state if shape.is_owed else state, shape.comma)))
    is_available = shape.beside is None and not is_card and pick.random() < 0.15
    headings = ["Date", "Description", *(["Debit", "Credit"] if shape.amounts == "sides"
        else ["Amount"]), pick.choice(AVAILABLE if is_available else BALANCES)]  # fmt: skip
    lines = [
        (row, [row.day.isoformat(), row.text, *shape.money(row.cents), text])
        for row, text in shape.ordered(pick, stated)
    ]
    if shape.beside is not None:
        at = pick.choice((2, len(headings)))
        headings.insert(at, pick.choice(AVAILABLE if shape.beside == "available" else LIMITS))
        for row, cells in lines:
            cells.insert(at, available[id(row)])
    account = pick.choice(CARDS) if is_card and pick.random() < 0.5 else "Giro"
    # Balances that rise by most amounts may be what is owed.
    may_be_owed = mostly_in and shape.amounts == "signed"
    is_open = shape.is_owed or shape.is_turned or shape.amounts == "unsigned" or may_be_owed
    text = _written(pick, headings, [cells for _, cells in lines], shape.comma)
    label = f"balances {seed}: {'card' if is_card else 'giro'} {shape} {account}"
    return File(text, account, "EUR", {account: _truth(rows)}, balance * 100, not is_open, label)


#: Headings of the operation's amount and currency, and of the account's.
PAIRS = tuple(
    tuple(each.split("/"))
    for each in """Kwota operacji/Waluta operacji/Kwota w walucie rachunku/Waluta rachunku|
Transaction amount/Transaction currency/Account amount/Account currency|
Original amount/Original currency/Amount/Currency|
Amount/Currency/Billing amount/Billing currency|
Betrag in Fremdwährung/Fremdwährung/Betrag/Währung|
Betrag/Währung/Betrag in Kontowährung/Kontowährung|
Montant opération/Devise opération/Montant compte/Devise du compte|
Importe operación/Divisa operación/Importe cuenta/Moneda de la cuenta|
Importo operazione/Valuta operazione/Importo conto/Valuta del conto|
Částka platby/Měna platby/Částka v měně účtu/Měna účtu""".replace("\n", "").split("|")
)
#: Currencies and their decimals.
CURRENCIES = {"EUR": 2, "PLN": 2, "USD": 2, "CZK": 2, "JPY": 0, "KRW": 0, "ISK": 0, "CLP": 0}


def make_currencies(seed):
    """Make a file with the amounts of the operations beside those of the account."""
    pick = random.Random(f"currencies {seed}")
    rows = _rows(pick, pick.choice((4, 6, 9)))
    own = pick.sample(list(CURRENCIES), 2)[: pick.choice((1, 1, 1, 2))]
    shape = pick.choice(("mixed", "all foreign", "mixed"))
    comma = pick.random() < 0.3
    pair = pick.choice(PAIRS)
    places = {code: CURRENCIES[code] for code in CURRENCIES}
    records: dict[str, list[tuple[str, int]]] = {}
    lines = []
    foreign = pick.choice([code for code in CURRENCIES if code not in own])
    for number, row in enumerate(rows):
        code = own[number % len(own)]
        if not places[code]:
            row.cents = (abs(row.cents) // 100 * 100) * (-1 if row.cents < 0 else 1)
        is_foreign = shape == "all foreign" or (number % 3 == 1)
        other = foreign if is_foreign else code
        cents = int(row.cents * Decimal("1.37")) if is_foreign else row.cents
        if not places[other]:
            cents = cents // 100 * 100 or -100
        cells = [_number(cents, comma, places[other]), other]
        cells += [_number(row.cents, comma, places[code]), code]
        lines.append([row.day.isoformat(), row.text, *cells])
        name = "Giro" if len(own) == 1 else f"Giro {code}"
        records.setdefault(name, []).append((row.day.isoformat(), row.cents * 100))
    headings = ["Date", "Description", *pair]
    if pick.random() < 0.4:
        headings = [*headings[:2], *headings[4:], *headings[2:4]]
        lines = [[*cells[:2], *cells[4:], *cells[2:4]] for cells in lines]
    text = _written(pick, headings, lines, comma)
    label = f"currencies {seed}: {shape} {own} {pair}"
    return File(text, "Giro", own[0] if len(own) == 1 else "", records, None, False, label)


MAKERS = {"words": make_words, "balances": make_balances, "currencies": make_currencies}
