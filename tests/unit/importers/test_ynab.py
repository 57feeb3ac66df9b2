"""Plans of YNAB: a handwritten one, with the figures that it states, and hostile ones."""

import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from finance_api.importers.books.json_stream import JsonDamaged, JsonStream
from finance_api.importers.books.ynab.reader import YnabReader
from finance_api.importers.formats import detect_format
from finance_api.importers.interface import ImportRefused
from finance_api.planning.tracking import BudgetPeriod, period_limit
from finance_api.resources import (
    ACCOUNTS,
    BUDGETS,
    CATEGORIES,
    LABELS,
    RECORDS,
    SPLITS,
    STANDING_ORDERS,
)
from finance_api.values.time import date_text, parse_date
from support.books import BOOKS, category_sums, import_book, named, pairs, refusal
from support.ledger import Person
from support.nightly import count

HOUSEHOLD = (BOOKS / "ynab-household.json").read_bytes()


def plan() -> dict[str, Any]:
    return dict(json.loads(HOUSEHOLD)["data"]["plan"])


def edited(edit: Callable[[dict[str, Any]], object]) -> bytes:
    """Return the plan after a change to it."""
    changed = plan()
    edit(changed)
    return json.dumps({"data": {"plan": changed}}).encode()


# -- the figures that the file states


def test_balances_are_those_of_the_file(person: Person):
    import_book(person, HOUSEHOLD)
    told = {account["name"]: account["balance"] * 10 for account in plan()["accounts"]}
    assert {row["name"]: row["balance"] for row in person.rows(ACCOUNTS)} == told
    person.audit()


def test_sums_of_categories_and_months_are_those_of_the_file(person: Person):
    import_book(person, HOUSEHOLD)
    told = {
        (month["month"][:7], each["id"]): each["activity"] * 10
        for month in plan()["months"]
        for each in month["categories"]
        if each["activity"]
    }
    (income,) = [row["sourceId"] for row in person.rows(CATEGORIES) if row["kind"] == "income"]
    # A starting balance is no income here.
    told["2026-01", income] -= 12_345_600
    # A record without a category.
    assert told.popitem()[1] == -12_340
    assert category_sums(person) == told


def test_budgets_have_the_limit_of_each_month(person: Person):
    import_book(person, HOUSEHOLD)
    budgets = {row["sourceId"]: row for row in person.rows(BUDGETS)}
    for month in plan()["months"][1:4]:
        period = BudgetPeriod(parse_date(month["month"]), None)
        told = {each["id"]: each["budgeted"] * 10 for each in month["categories"]}
        limits = {i: period_limit(row, period) for i, row in budgets.items()}
        assert limits == {i: told[i] for i in budgets}
    assert {row["name"] for row in budgets.values()} == {"Cinema", "Flat", "Food 🍎"}
    assert {date_text(row["startDate"]) for row in budgets.values()} == {"2026-01-01"}


def test_the_same_plan_again_changes_nothing(person: Person):
    import_book(person, HOUSEHOLD)
    before = person.snapshot()
    person.clock.advance(100_000)
    assert not import_book(person, HOUSEHOLD).changed
    assert person.snapshot() == before


# -- what becomes of it


def test_what_is_not_as_in_ynab_is_named_with_its_number(person: Person):
    assert [str(remark) for remark in import_book(person, HOUSEHOLD).remarks] == [
        "budgets whose money is carried over to the next month, which budgets here do not: 3",
        "months with money set aside for a credit card's payment, not imported: 1",
        "notes of accounts, categories and months, not imported: 3",
        "places of payees, not imported: 1",
        "schedules with parts, which have the whole amount and no category: 1",
        "splits with a transfer, another account or another day in them, whose parts are records: "
        "1",
        "starting balances that are initial balances of accounts: 2",
        "starting balances that stay records, because other transactions came before them: 1",
        "targets of categories, not imported: 1",
        "transactions that are not approved yet, which count as in YNAB: 1",
        "transactions whose id from the bank is not imported: 1",
        "transfers with a category, which count as spent and are not linked: 1",
    ]


def test_accounts_keep_their_types_and_are_closed_and_off_budget_as_there(person: Person):
    import_book(person, HOUSEHOLD)
    names = ("name", "accountType", "initialBalance", "archived", "excludeFromStats")
    assert sorted(tuple(map(row.get, names)) for row in person.rows(ACCOUNTS)) == [
        ("Card", "CreditCard", 0, False, False),
        ("Depot", "General", 50_000_000, False, True),
        ("Giro", "CurrentAccount", 12_345_600, False, False),
        ("Old purse", "Cash", 0, True, False),
        ("Savings", "SavingAccount", 0, False, False),
    ]


def test_categories_keep_their_groups_and_ynabs_own_are_left_out(person: Person):
    import_book(person, HOUSEHOLD)
    rows = person.rows(CATEGORIES)
    assert sorted((r["group"] or "", r["name"], r["kind"], r["archived"]) for r in rows) == [
        ("", "Inflow: Ready to Assign", "income", False),
        ("Everyday", "Flat", "expense", False),
        ("Everyday", "Food 🍎", "expense", False),
        ("Everyday", "Investing", "expense", False),
        ("Leisure", "Cinema", "expense", False),
        ("Leisure", "Flat", "expense", True),
    ]


def test_hidden_categories_are_the_users_own(person: Person):
    def hide(changed: dict[str, Any]) -> None:
        changed["category_groups"][3].update(name="Hidden Categories", internal=True)

    import_book(person, edited(hide))
    cinema = named(person, CATEGORIES, "Cinema")
    assert (cinema["kind"], cinema["group"]) == ("expense", "Hidden Categories")
    assert named(person, BUDGETS, "Cinema")["categoryIds"] == (cinema["id"],)


def test_transfers_are_pairs_also_in_splits_unless_one_half_counts_as_spent(person: Person):
    import_book(person, HOUSEHOLD)
    assert pairs(person) == [
        [("Card", 500_000), ("Giro", -500_000)],
        [("Giro", -5_000_000), ("Savings", 5_000_000)],
        [("Giro", 500_000), ("Old purse", -500_000)],
    ]
    (saved,) = [row for row in person.rows(RECORDS) if row["category"] == "Investing"]
    assert saved["amount"] == -2_500_000 and saved["payee"] == "Depot"


def test_splits_are_splits_unless_a_part_is_a_transfer(person: Person):
    import_book(person, HOUSEHOLD)
    parts = [row for row in person.rows(RECORDS) if row["splitId"]]
    wholes = [s for s in person.rows(SPLITS) if s["id"] in {row["splitId"] for row in parts}]
    assert [(s["amount"], s["note"], s["payee"]) for s in wholes] == [
        (-600_000, "a receipt", "Corner Shop")
    ]
    assert sorted((row["amount"], row["category"], row["note"]) for row in parts) == [
        (-350_000, "Food 🍎", "bread"),
        (-250_000, "Cinema", "a receipt"),
    ]


def test_states_and_flags_are_kept(person: Person):
    import_book(person, HOUSEHOLD)
    on = {date_text(row["recordDate"]): row for row in person.rows(RECORDS)}
    assert on["2026-01-03"]["labels"] == ("home",)
    assert on["2026-01-05"]["labels"] == ("red",)
    assert on["2026-01-02"]["recordState"] == "reconciled"
    assert on["2026-02-27"]["recordState"] == "uncleared"
    assert {row["name"] for row in person.rows(LABELS)} == {"home", "red"}
    assert on["2026-03-31"]["categoryId"] is None


def test_schedules_become_standing_orders(person: Person):
    import_book(person, HOUSEHOLD)
    shown = {
        (row["name"], date_text(row["startDate"])): (
            row["amount"] // 10_000,
            row["recurrenceRule"],
            row["note"],
        )
        for row in person.rows(STANDING_ORDERS)
    }
    clamped = "BYMONTHDAY=28,29,30;BYSETPOS=-1"
    assert shown == {
        ("Müller & Söhne", "2026-01-31"): (-800, "FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=-1", None),
        ("Employer Ltd", "2026-01-15"): (
            *(1250, "FREQ=MONTHLY;BYMONTHDAY=15,28,29,30;BYSETPOS=1,-1", None),
        ),
        ("Insurance", "2024-02-29"): (
            *(-120, "FREQ=YEARLY;INTERVAL=1;BYMONTH=2;BYMONTHDAY=-1", None),
        ),
        ("Savings", "2026-01-30"): (
            *(-500, f"FREQ=MONTHLY;INTERVAL=2;{clamped}", "to Savings; aside"),
        ),
        ("Corner Shop", "2026-01-03"): (-30, "FREQ=WEEKLY;INTERVAL=2", None),
        ("Corner Shop", "2026-12-24"): (-10, None, None),
    }
    aside = named(person, STANDING_ORDERS, "Savings")
    assert aside["paymentType"] == "transfer"
    assert aside["accountId"] == named(person, ACCOUNTS, "Giro")["id"]


def test_several_equal_transfers_of_splits_pair_in_order(person: Person):
    def repeat(changed: dict[str, Any]) -> None:
        part = next(p for p in changed["subtransactions"] if p["transfer_account_id"])
        other = next(t for t in changed["transactions"] if t["memo"] == "pay back")
        changed["subtransactions"] += [{**part, "id": "p2"}, {**part, "id": "p3", "memo": "?"}]
        changed["transactions"] += [{**other, "id": "o2", "memo": "!"}, {**other, "id": "o3"}]
        for account in changed["accounts"]:
            if account["name"] == "Card":
                account["balance"] += 100_000
            if account["name"] == "Giro":
                account["balance"] -= 100_000

    report = import_book(person, edited(repeat))
    assert pairs(person).count([("Card", 500_000), ("Giro", -500_000)]) == 3
    assert "splits that count as the sum of their parts, which differs from their amount: 1" in map(
        str, report.remarks
    )


# -- forms of the file


def bare(data: bytes) -> bytes:
    return json.dumps(json.loads(data)["data"]["plan"]).encode()


FORMS = {
    "an older answer": HOUSEHOLD.replace(b'"plan":', b'"budget":'),
    "on one line": json.dumps(json.loads(HOUSEHOLD)).encode(),
    "without data": json.dumps(json.loads(HOUSEHOLD)["data"], indent=1).encode(),
    "the plan alone": bare(HOUSEHOLD),
    "the number first": b'{"data":{"server_knowledge":1,"plan":' + bare(HOUSEHOLD) + b"}}",
    "with a mark": b"\xef\xbb\xbf" + HOUSEHOLD,
    "with new members": HOUSEHOLD.replace(b'"months":', b'"new": [[1], {"a": 1.5}], "months":'),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_plan_is_read_in_every_form(person: Person, form: str):
    assert detect_format(io.BytesIO(FORMS[form])).name == "ynab"
    assert import_book(person, HOUSEHOLD).created == 46
    assert not import_book(person, FORMS[form]).changed


@pytest.mark.parametrize("length", [1, 7, 300])
def test_a_file_is_read_right_in_pieces(length: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("finance_api.importers.books.json_stream._PIECE_BYTES", length)
    text = '{ "a": [12345, "ä€😀\\n", {"b": [1.5, null]}, []], "c" : null, "d":[],"e":-7}'
    source = JsonStream(io.BytesIO(text.encode()))
    read = {}
    for name in source.members():
        read[name] = list(source.elements()) if name in "acd" else source.value()
    source.end()
    assert read == {**json.loads(text), "c": []}


@pytest.mark.parametrize(
    "text",
    [
        *('{"a": 1', '{"a" 1}', '{"a": 1,}', "[1]", "", '{"a": 1} x', "{1: 2}", '{"a": NUL}'),
        *('{"a": "\xff"}', '{"a": ' + "9" * 5_000 + "}", '{"a": ' + "[" * 100_000 + "}"),
    ],
)
def test_what_is_not_json_is_damaged(text: str):
    source = JsonStream(io.BytesIO(text.encode("latin-1")))
    with pytest.raises(JsonDamaged):
        for _ in source.members():
            source.value()
        source.end()


# -- what is asked and refused


def test_a_plan_without_currency_asks_for_it(person: Person):
    book = edited(lambda p: p.update(currency_format=None))
    with pytest.raises(ImportRefused) as refused:
        import_book(person, book)
    assert refused.value.questions[0].choices[0].needs == ("currency",)
    import_book(person, book, currency="USD")
    assert {row["currencyCode"] for row in person.rows(ACCOUNTS)} == {"USD"}


def first(p: dict[str, Any], table: str) -> dict[str, Any]:
    return dict.__getitem__(p, table)[1]  # type: ignore[no-any-return]


REFUSED: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "another balance": (
        lambda p: p["accounts"][0].update(balance=0),
        "the account 'Giro' has a balance of 0 EUR in YNAB, but its records add up to 2063.336 "
        "EUR, a difference of -2063.336 EUR: the file may have only what changed",
    ),
    "year 9999": (
        lambda p: first(p, "transactions").update(date="9999-12-31"),
        "recordDate 9999-12-31 cannot be right: give a date from 1900 to 2199",
    ),
    "no date": (lambda p: first(p, "transactions").update(date="2026-02-31"), "recordDate"),
    "half a unit": (lambda p: first(p, "transactions").update(amount=0.5), "amount is '0.5' in"),
    "no amount": (lambda p: first(p, "transactions").pop("amount"), "amount is nothing in"),
    "an amount that is true": (
        lambda p: first(p, "transactions").update(amount=True),
        "amount is 'True' in",
    ),
    "too much money": (
        lambda p: [
            first(p, "transactions").update(amount=10**30),
            p["accounts"][0].update(balance=2_063_336 - 2_500_000 + 10**30),
        ],
        "the Record '",
    ),
    "an unknown state": (
        lambda p: first(p, "transactions").update(cleared="maybe"),
        "has the state 'maybe', which is not known",
    ),
    "an account that is missing": (
        lambda p: p["accounts"].pop(),
        "which the file lacks: ask YNAB's API for the whole plan",
    ),
    "an unknown currency": (
        lambda p: p["currency_format"].update(iso_code="XBT"),
        "the currency of the book 'XBT' is not an ISO 4217 code",
    ),
    "no accounts": (lambda p: p.update(accounts=[]), "no plan with accounts"),
    "no id": (lambda p: p.pop("id"), "no plan with accounts"),
    "a list in place of an object": (
        lambda p: p["payees"].append(["a"]),
        "payees has '['a']', where YNAB has an object",
    ),
    "a text in place of a list": (lambda p: p.update(payees="a"), "damaged or cut short"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_plan_that_cannot_be_right_is_refused(person: Person, case: str):
    edit, reason = REFUSED[case]
    assert reason in refusal(person, edited(edit))


def test_two_plans_in_one_file_are_refused(person: Person):
    two = b'{"plan":' + bare(HOUSEHOLD) + b',"budget":' + bare(HOUSEHOLD) + b"}"
    assert "two plans" in refusal(person, two)


def test_another_currency_than_the_plan_has_is_refused(person: Person):
    assert "is kept in EUR" in refusal(person, HOUSEHOLD, currency="USD")


def test_a_plan_that_is_cut_off_is_refused(person: Person):
    for length in range(60, len(HOUSEHOLD) - 2, len(HOUSEHOLD) // 40):
        assert "damaged or cut short" in refusal(person, HOUSEHOLD[:length])


def test_a_schedule_that_begins_where_dates_end_is_named(person: Person):
    def edit(changed: dict[str, Any]) -> None:
        changed["scheduled_transactions"][0].update(
            date_first="9999-12-31", frequency="twiceAMonth"
        )

    remarks = list(map(str, import_book(person, edited(edit)).remarks))
    assert remarks[-1].startswith("schedules that are not imported: 1 ('Müller & Söhne: has the d")


@pytest.mark.parametrize("name", ["id", "flag_name"])
def test_half_of_a_character_is_refused(person: Person, name: str):
    said = refusal(person, edited(lambda p: p["transactions"][3].update({name: "a\ud800"})))
    assert "contains half of a surrogate pair" in said


def test_odd_things_are_named(person: Person):
    def edit(changed: dict[str, Any]) -> None:
        changed["accounts"][0]["type"] = "crypto"
        changed["scheduled_transactions"][0]["frequency"] = "sometimes"
        changed["scheduled_transactions"][1]["date_first"] = "soon"
        changed["transactions"][3]["category_id"] = "gone"
        changed["months"][2]["categories"][4]["budgeted"] = -5_000
        for half in changed["transactions"][4:6]:
            half["transfer_account_id"] = changed["accounts"][2]["id"]

    remarks = list(map(str, import_book(person, edited(edit)).remarks))
    assert (
        "halves of transfers whose other half is missing or does not fit, which are not linked: 2"
        in remarks
    )
    assert "records whose category was deleted: 1" in remarks
    assert "limits of months that are below 0, which are 0 here: 1" in remarks
    assert remarks[-3:] == [
        "accounts of an unknown type: 1 ('Giro')",
        "activity of categories that differs from their transactions: 1 ('Food 🍎 in 2026-01: "
        "30.01 there, 50 here')",
        "schedules that are not imported: 2 ('Müller & Söhne: has an unknown frequency, "
        "sometimes', 'Employer Ltd: has no date')",
    ]


def test_many_transactions_take_little_memory():
    number = count(2_000, 200_000)
    changed = plan()
    transaction = changed["transactions"][3]
    begin, end = json.dumps(changed).encode().split(b'"transactions": [', 1)
    line = json.dumps({**transaction, "id": "ID", "memo": "a 🍎"}).encode()

    def pieces() -> Any:
        balance = 2_063_336 + number * transaction["amount"]
        yield begin.replace(b'"balance": 2063336,', b'"balance": %d,' % balance, 1)
        yield b'"transactions": ['
        for place in range(number):
            yield line.replace(b'"ID"', b'"row %d"' % place) + b","
        yield end

    data = b"".join(pieces())
    found = sum(d["reserved_model_type"] == "Record" for d in YnabReader().read(io.BytesIO(data)))
    assert found == number + 20
