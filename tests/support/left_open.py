"""Files that leave something open, by themselves or beside stored records."""

import random
from datetime import date, timedelta

from support.bank_layouts import LANGUAGES
from support.ledger import account as native_account
from support.ledger import an_id, record
from support.ofx import statement, transaction
from support.sheets import xlsx

#: Things that a file leaves open.
POINTS = (
    *("days", "unsigned", "words", "status", "total", "fee", "thousands", "sides", "dates"),
    *("amounts", "footer", "codes", "accounts", "balance", "encoding", "cents", "doubled"),
)


def make(seed, point):
    """Make a file that leaves something open, and the records that it stands for."""
    pick = random.Random(f"{seed} {point}")
    of = LANGUAGES["fr" if point == "encoding" else pick.choice(list(LANGUAGES))]
    comma = pick.random() < 0.5
    rows = []
    day = date(2026, 1, pick.randint(1, 4))
    for _ in range(pick.choice((3, 5, 8))):
        day = day.replace(month=day.month + 1) if day.day > 8 else day + timedelta(days=2)
        cents = pick.randint(100, 99_999) * pick.choice((1, -1, -1))
        rows.append({"day": day, "cents": cents, "note": pick.choice("ABCDEFGH") + "x shop"})
    rows[0]["cents"], rows[1]["cents"] = abs(rows[0]["cents"]), -abs(rows[1]["cents"])
    meant, below = rows, ""

    def number(cents, decimals=2):
        text = f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02}"
        return (text if decimals == 2 else text + "0").replace(".", "," if comma else ".")

    columns = {of.day[0]: lambda r: r["day"].isoformat(), of.note[0]: lambda r: r["note"]}
    amount = {of.amount[0]: lambda r: number(r["cents"])}
    unsigned = {of.amount[0]: lambda r: number(abs(r["cents"]))}
    match point:
        case "days":
            form = pick.choice(("%d/%m/%Y", "%m/%d/%Y"))
            columns[of.day[0]] = lambda r: r["day"].strftime(form)
        case "unsigned":
            way = pick.choice((1, -1))
            meant = [{**r, "cents": way * abs(r["cents"])} for r in rows]
            amount = unsigned
        case "words":
            kinds = [
                f"{pick.choice(('Blik', 'Werk', 'Zorg'))} {n}" for n in range(pick.randint(2, 6))
            ]
            out = {kind: pick.choice((1, -1)) for kind in kinds}
            for number_, row in enumerate(rows):
                row["kind"] = kinds[number_ % len(kinds)]
                row["cents"] = out[row["kind"]] * abs(row["cents"])
            amount = unsigned | {of.way[0][0]: lambda r: r["kind"]}
        case "status":
            kept = pick.choice((True, False))
            for number_, row in enumerate(rows):
                row["state"] = "Quaxed" if number_ == 1 else of.status[0][1]
            meant = [r for r in rows if kept or r["state"] != "Quaxed"]
            amount[of.status[0][0]] = lambda r: r["state"]
        case "total":
            rows[-1]["note"] = "Total"
            meant = rows if pick.random() < 0.5 else rows[:-1]
        case "fee":
            fees = [0, *(pick.randint(1, 300) for _ in rows[1:])]
            for row, fee in zip(rows, fees, strict=True):
                row["fee"] = fee
            beside = pick.random() < 0.5
            meant = rows + [{**r, "cents": -r["fee"]} for r in rows if beside and r["fee"]]
            amount["Fee"] = lambda r: number(r["fee"])
        case "thousands":
            sign = pick.choice(".,")
            for row in rows:
                whole = pick.choice((1, -1)) * pick.randint(1, 99) * 1000 + pick.randint(1, 999)
                row["text"] = f"{abs(whole) // 1000}{sign}{abs(whole) % 1000:03}"
                row["text"] = ("-" if whole < 0 else "") + row["text"]
                row["cents"] = whole * 100
            rows[0]["text"], rows[0]["cents"] = f"-1{sign}234", -123_400
            amount = {of.amount[0]: lambda r: r["text"]}
        case "sides":
            swapped = pick.randrange(len(rows))
            for row_number, row in enumerate(rows):
                row["is_out"] = (row["cents"] < 0) == (row_number != swapped)
            amount = {
                of.debit[0]: lambda r: number(-r["cents"]) if r["is_out"] else "",
                of.credit[0]: lambda r: "" if r["is_out"] else number(r["cents"]),
            }
        case "dates":
            of_day = pick.choice(("due", "paid"))
            for row in rows:
                row["due"], row["paid"] = (
                    row["day"],
                    row["day"] + timedelta(days=pick.randint(11, 19)),
                )
            meant = [{**r, "day": r[of_day]} for r in rows]
            columns = {
                "Due date": lambda r: r["due"].isoformat(),
                "Paid on": lambda r: r["paid"].isoformat(),
                of.note[0]: lambda r: r["note"],
            }
        case "amounts":
            for row in rows:
                row["other"] = row["cents"] * 2 + 1
            meant = [{**r, "cents": r["other"]} for r in rows] if pick.random() < 0.5 else rows
            amount = {
                of.amount[0]: lambda r: number(r["cents"]),
                of.amount[0] + " 2": lambda r: number(r["other"]),
            }
        case "footer":
            below = "Printed by Anna: page 1\n"
        case "codes":
            for row_number, row in enumerate(rows):
                row["code"] = ("EUR", "USD")[row_number % 2]
            amount["Xyz"] = lambda r: r["code"]
        case "accounts":
            for row_number, row in enumerate(rows):
                row["number"] = ("DE02120300000000202051", "DE02500105170137075030")[row_number % 2]
            amount["Account number"] = lambda r: r["number"]
        case "balance":
            amount[of.balance[0]] = lambda r: number(r["cents"] // 3 + 77)
        case "encoding":
            for row in rows:
                row["note"] = "Peña"
        case "cents":
            by = pick.choice((1, 100))
            amount = {of.amount[0] + " (Cent)": lambda r: str(r["cents"])}
            meant = [{**r, "cents": r["cents"] * 100 // by} for r in rows]
        case "doubled":
            for row in rows:
                row["date"] = row["day"] + timedelta(days=1)
            columns = {"date": lambda r: r["day"].isoformat(), **columns}
            del columns[of.day[0]]
            columns["Date"] = lambda r: r["date"].isoformat()
            if pick.random() < 0.5:
                meant = [{**r, "day": r["date"]} for r in rows]
    columns |= amount
    lines = [columns, *({h: of_row(r) for h, of_row in columns.items()}.values() for r in rows)]
    text = "".join(";".join(line) + "\n" for line in lines)
    data = (text + below).encode("cp1252" if point == "encoding" else "utf-8")
    return data, sorted((r["day"].isoformat(), r["cents"] * 100) for r in meant)


# -- what stored records leave open

HEAD = "date,amount,payee,ref\n"
_MONTH = "2026-01-01,-100,Rent,\n{}2026-01-20,-200,Power,\n"
_OTHERS = [native_account(2, name="Other"), native_account(1, name="Giro")]


def beside(day, amount, place=1):
    """Return a record that the user entered."""
    return record(day + 9, accountId=an_id(place), recordDate=f"2026-01-{day:02}", amount=amount)


#: Stored rows, earlier files, a file, and the final records by the new options of each command.
STORED = {
    "first day": (
        [],
        ["2026-01-02,-100,Rent,\n2026-01-03,-3,Coffee,\n2026-01-03,-9,Lunch,\n"],
        "2026-01-03,-3,Coffee,\n2026-01-04,-1,Bus,\n",
        {"--first-day same": 4, "--first-day new": 5},
    ),
    "ids": (
        [],
        ["2026-01-05,-30,Shop,2\n"],
        "2026-01-08,-30,Shop AG,2\n",
        {"--ids stable": 1, "--ids reused": 2},
    ),
    "moved": (
        [],
        [_MONTH.format("2026-01-03,-3,Coffee,\n")],
        _MONTH.format("2026-01-05,-3,Tea,\n2026-01-06,-3,Lunch,\n"),
        {"--moved-days 3": 4, "--moved-days 0": 5},
    ),
    "other source": (
        [*_OTHERS, beside(4, -3)],
        [],
        "2026-01-05,-3,Coffee,\n",
        {"--match-days 2": 1, "--match-days 1": 2},
    ),
    "moved and other source": (
        [*_OTHERS, beside(21, -30)],
        [_MONTH.format("2026-01-03,-3,Coffee,\n")],
        _MONTH.format("2026-01-05,-3,Tea,\n2026-01-06,-3,Lunch,\n") + "2026-01-20,-30,Shop,\n",
        {
            "--moved-days 3 --match-days 2": 5,
            "--moved-days 3 --match-days 1": 6,
            "--moved-days 0 --match-days 2": 6,
            "--moved-days 0 --match-days 1": 7,
        },
    ),
    "new account": (
        [*_OTHERS, *(beside(day, -3, place=2) for day in (5, 6, 7))],
        [],
        "".join(f"2026-01-0{day},-3,Coffee,\n" for day in (5, 6, 7)),
        {"--account Other": 3, "--new-account": 6},
    ),
}


# -- of each format

ROWS = [["date", "payee", "amount"], ["2026-01-05", "Shop", -12.5], ["2026-01-06", "Bus", 3]]
DEBIT = transaction("1", "5", fields="<TRNTYPE>DEBIT")
#: A file of each format that asks -> its first topics.
FILES = {
    "qif": (
        b"!Type:Bank\nD2/1'26\nT-1.234\nPShop\n^\n",
        ["account", "date_form", "decimal", "new_account_currency"],
    ),
    "ofx": (f"<OFX>{statement(DEBIT)}</OFX>".encode(), ["type_without_sign"]),
    "ofx of an unknown type": (
        f"<OFX>{statement(DEBIT, transaction('2', '6', fields='<TRNTYPE>XYZ'))}</OFX>".encode(),
        ["type_not_known"],
    ),
    "xlsx": (xlsx(January=ROWS, February=ROWS), ["sheets"]),
    "csv": (
        b"date,amount,payee\n02/03/2026,5.00,Shop\n02/04/2026,7.00,Bus\n",
        ["account_or_column", "date_form", "unsigned", "new_account_currency"],
    ),
    "csv of another encoding": (
        "date,amount,payee\n2026-01-05,-5.00,Peña\n".encode("cp1252"),
        ["not_decoded", "account_or_column", "new_account_currency"],
    ),
}
