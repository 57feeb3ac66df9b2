"""What transactions with legs become: records, splits, transfers, openings, rounded amounts."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from finance_api.importers.books.double_entry.mapping import DoubleEntry
from finance_api.importers.books.double_entry.model import Account, Kind, Leg, Transaction
from finance_api.importers.books.reading import BookIds, Document, Remarks

IDS = BookIds("test:book")


def account(path: str, kind: Kind, **values: Any) -> Account:
    above, _, name = path.rpartition(":")
    return Account(path, name, above or None, kind, **values)


ACCOUNTS = {
    each.id: each
    for each in (
        account("assets", Kind.MONEY),
        account("assets:bank", Kind.MONEY),
        account("assets:cash", Kind.MONEY, account_type="Cash"),
        account("assets:broker", Kind.MONEY),
        account("assets:savings", Kind.MONEY),
        account("liabilities", Kind.MONEY),
        account("liabilities:card", Kind.MONEY),
        account("expenses", Kind.EXPENSE),
        account("expenses:food", Kind.EXPENSE),
        account("expenses:food:out", Kind.EXPENSE),
        account("expenses:fees", Kind.EXPENSE),
        account("income", Kind.INCOME),
        account("income:pay", Kind.INCOME),
        account("equity", Kind.EQUITY),
        account("equity:opening", Kind.EQUITY),
    )
}
#: Accounts have had money before.
EARLIER = [f"assets:{name} 1000 EUR" for name in ("bank", "cash", "broker", "savings")]


def transaction(number: int, *legs: str, day: int = 1, **values: Any) -> Transaction:
    """Return a transaction of legs such as ``assets:bank -10.5 EUR @@ 12 USD``."""
    made = []
    for place, text in enumerate(legs):
        path, quantity, commodity, *cost = text.split()
        value, currency = (Fraction(cost[1]), cost[2]) if cost else (Fraction(quantity), commodity)
        made.append(Leg(f"{number}.{place}", path, Fraction(quantity), commodity, value, currency))
    return Transaction(date(2026, 1, day), made, **values)


class Ledger:
    """What transactions become. amounts are texts, accounts and categories their names."""

    def __init__(
        self,
        *transactions: Transaction,
        places: int = 2,
        told: Mapping[tuple[str, str], Fraction] | None = None,
        **accounts: Account,
    ) -> None:
        remarks = Remarks()
        self.entry = DoubleEntry(
            IDS, ACCOUNTS | accounts, lambda: transactions, remarks, lambda currency: places, told
        )
        self.documents = list(self.entry.documents())
        self.remarks = list(remarks)

    def of_type(self, model_type: str) -> list[Document]:
        return [each for each in self.documents if each["reserved_model_type"] == model_type]

    @property
    def names(self) -> dict[str, str]:
        return {each["id"]: each["name"] for each in self.documents if "name" in each}

    @property
    def records(self) -> list[tuple[str, str, str | None]]:
        return [
            (
                self.names[each["accountId"]],
                f"{each['amount']:f}".rstrip("0").rstrip("."),
                self.names.get(each.get("categoryId") or ""),
            )
            for each in self.of_type("Record")
        ]

    @property
    def initial(self) -> dict[str, Any]:
        return {a["name"]: a["initialBalance"] for a in self.of_type("Account")}


def after_earlier(*legs: str, **values: Any) -> Ledger:
    """Return what becomes of one transaction on accounts that had money before."""
    return Ledger(
        *(transaction(100 + n, leg, "equity:opening -1000 EUR") for n, leg in enumerate(EARLIER)),
        transaction(1, *legs, day=5, **values),
    )


def test_one_account_and_one_category_are_a_record():
    ledger = after_earlier("expenses:food 12.5 EUR", "assets:bank -12.5 EUR", payee="Shop")
    assert ledger.records == [("bank", "-12.5", "food")]
    (record,) = ledger.of_type("Record")
    assert (record["sourceId"], record["payee"], record["recordDate"]) == (
        *("1.1", "Shop"),
        "2026-01-05",
    )


def test_several_categories_are_parts_of_a_split():
    ledger = after_earlier(
        "assets:bank -30 EUR", "expenses:food 25 EUR", "expenses:fees 5 EUR", payee="Shop"
    )
    assert ledger.records == [("bank", "-25", "food"), ("bank", "-5", "fees")]
    (whole,) = ledger.of_type("SplitRecord")
    assert (whole["sourceId"], whole["amount"], whole["payee"]) == ("1.0", -30, "Shop")
    # A part has an id of its own, and no source id.
    parts = ledger.of_type("Record")
    assert [part["splitId"] for part in parts] == [whole["id"]] * 2
    assert [part["id"] for part in parts] == [IDS.get("Record", f"1.{n}") for n in (1, 2)]
    assert [part["sourceId"] for part in parts] == [None, None]


def test_two_accounts_are_a_transfer_each_with_its_own_money():
    ledger = after_earlier("assets:bank -90 EUR", "assets:cash 100 USD @@ 90 EUR")
    assert ledger.records == [("bank", "-90", None), ("cash USD", "100", None)]
    pair = [record["transferId"] for record in ledger.of_type("Record")]
    assert pair[0] == pair[1] is not None


def test_legs_of_several_accounts_hang_on_the_first():
    ledger = after_earlier(
        *("expenses:food 10 EUR", "assets:bank -60 EUR", "assets:cash 55 EUR"),
        *("income:pay -5 EUR", "assets:savings 0 EUR"),
    )
    assert sorted(ledger.records, key=str) == [
        ("bank", "-10", "food"),
        ("bank", "-55", None),
        ("bank", "5", "pay"),
        ("cash", "55", None),
    ]
    linked = {r["sourceId"]: r.get("transferId") for r in ledger.of_type("Record")}
    assert linked["1.2"] == linked["1.2/of"] is not None
    several = "transactions of several accounts, which hang on their first one as transfers: 1"
    assert several in ledger.remarks


def test_two_legs_of_one_account_with_one_category_stay_two_records():
    ledger = after_earlier("assets:bank -10 EUR", "assets:bank -20 EUR", "expenses:food 30 EUR")
    assert ledger.records == [("bank", "-10", "food"), ("bank", "-20", "food")]


def test_legs_of_one_account_that_become_one_record_keep_their_texts_and_units():
    legs = transaction(
        *(1, "assets:broker 10 XYZ @@ 50 EUR", "assets:broker 5 XYZ @@ 30 EUR"),
        *("assets:broker 2 ABC @@ 1 EUR", "assets:bank -82 EUR", "expenses:fees 1 EUR"),
    ).legs
    noted = [leg._replace(note=leg.id, labels=(leg.id,)) for leg in legs]
    ledger = Ledger(Transaction(date(2026, 1, 1), noted))
    (broker,) = [each for each in ledger.of_type("Record") if each["amount"] == 81]
    assert broker["note"] == "1.0; 1.1; 1.2; 2 ABC; 15 XYZ"
    assert [ledger.names[label] for label in broker["labelIds"]] == ["1.0", "1.1", "1.2"]


def test_a_transfer_from_an_account_to_itself_is_not_linked():
    ledger = after_earlier("assets:bank -10 EUR", "assets:bank 10 EUR")
    assert ledger.records == [("bank", "-10", None), ("bank", "10", None)]
    assert not any(record.get("transferId") for record in ledger.of_type("Record"))


def test_a_reclassification_keeps_the_sums_of_categories():
    ledger = after_earlier("expenses:food -10 EUR", "expenses:fees 10 EUR")
    assert ledger.records == [
        ("Between categories", "10", "food"),
        ("Between categories", "-10", "fees"),
    ]


def test_legs_of_nothing_are_left_out_unless_the_whole_is_nothing():
    ledger = after_earlier("assets:bank -5 EUR", "expenses:food 5 EUR", "expenses:fees 0 EUR")
    assert ledger.records == [("bank", "-5", "food")]
    ledger = after_earlier("assets:bank 0 EUR", "expenses:food 0 EUR")
    assert ledger.records == [("bank", "0", "food")]


def test_a_rest_that_the_program_does_not_show_is_a_record():
    ledger = after_earlier("assets:bank 0.004 EUR", "assets:cash 3 EUR", "assets:cash -3 EUR")
    assert ledger.records == [("bank", "0", None)]


def test_money_that_counts_nothing_on_its_account_leaves_the_other_sums_as_they_are():
    nothing = "assets:cash 0 USD @@ 5 EUR"
    ledger = after_earlier(nothing, "income:pay -5 EUR")
    assert ledger.records == [
        ("Between categories", "-5", None),
        ("Between categories", "5", "pay"),
    ]
    ledger = after_earlier("assets:bank -10 EUR", nothing, "expenses:food 5 EUR")
    assert ledger.records == [("bank", "-5", None), ("bank", "-5", "food")]
    ledger = after_earlier("assets:bank -5 EUR", nothing)
    assert ledger.records == [("bank", "-5", None)]
    assert not any(record.get("originalCurrencyCode") for record in ledger.of_type("Record"))


def test_a_category_with_a_day_of_its_own_is_named():
    food, bank = transaction(2, "expenses:food 5 EUR", "assets:bank -5 EUR").legs
    later = [food._replace(day=date(2026, 2, 1)), bank]
    ledger = Ledger(
        transaction(1, "assets:bank 9 EUR", "income:pay -9 EUR"),
        Transaction(date(2026, 1, 9), later),
    )
    assert [each["recordDate"] for each in ledger.of_type("Record")] == ["2026-01-01", "2026-01-09"]
    assert "records on another day than their category has in the book: 1" in ledger.remarks


# -- openings


def test_the_first_thing_on_an_account_is_its_initial_balance():
    ledger = Ledger(
        transaction(1, "assets:bank 100 EUR", "liabilities:card -40 EUR", "equity:opening -60 EUR"),
        transaction(2, "assets:bank 7 EUR", "equity:opening -7 EUR", day=2),
    )
    assert ledger.initial == {"bank": 100, "card": -40}
    assert ledger.records == [("bank", "7", "opening")]


def test_an_opening_after_other_records_stays_a_record():
    ledger = Ledger(
        transaction(1, "assets:bank 100 EUR", "equity:opening -100 EUR", day=9),
        transaction(2, "assets:bank 7 EUR", "income:pay -7 EUR", day=2),
    )
    assert ledger.initial == {"bank": 0}
    assert ledger.records == [("bank", "100", "opening"), ("bank", "7", "pay")]


def test_money_from_several_accounts_of_equity_keeps_the_sum_of_each():
    draw = account("equity:draw", Kind.EQUITY)
    ledger = Ledger(
        *(transaction(100 + n, leg, "equity:opening -1000 EUR") for n, leg in enumerate(EARLIER)),
        transaction(
            *(1, "assets:bank 5 EUR", "assets:cash 5 EUR"),
            *("equity:draw -4 EUR", "equity:opening -6 EUR"),
            day=5,
        ),
        **{"equity:draw": draw},
    )
    assert ("bank", "4", "draw") in ledger.records
    assert ("bank", "6", "opening") in ledger.records
    assert sum(float(amount) for name, amount, _ in ledger.records if name == "bank") == 5


def test_a_transfer_to_a_new_account_is_no_opening():
    ledger = after_earlier(
        "liabilities:card 99 EUR", "assets:bank -100 EUR", "equity:opening 1 EUR"
    )
    assert ledger.initial["card"] == 0
    assert sorted(ledger.records, key=str) == [
        ("bank", "-100", None),
        ("card", "-1", "opening"),
        ("card", "100", None),
    ]


# -- currencies and securities


def test_a_part_of_a_cent_does_not_hide_the_currency_of_a_category():
    ledger = after_earlier("assets:bank -11.11 EUR", "expenses:food 10 USD @@ 11.111 EUR")
    (row,) = ledger.of_type("Record")
    assert (row["originalAmount"], row["originalCurrencyCode"]) == (-10, "USD")
    assert "records in another currency than their category has in the book: 1" in ledger.remarks


def test_the_rate_is_that_of_the_account_that_pays():
    ledger = after_earlier(
        "assets:cash -12 USD @@ -10 EUR", "expenses:food 7 EUR", "expenses:fees 3 EUR"
    )
    assert ledger.records == [("cash USD", "-8.4", "food"), ("cash USD", "-3.6", "fees")]
    originals = [(p["originalAmount"], p["originalCurrencyCode"]) for p in ledger.of_type("Record")]
    assert originals == [(-7, "EUR"), (-3, "EUR")]


def test_conversion_accounts_that_were_left_out_tell_the_rate():
    ledger = after_earlier(
        "assets:bank -100 EUR", "assets:cash 118 USD", "expenses:fees 2 USD", converts=True
    )
    assert sorted(ledger.records) == [
        ("bank", "-1.67", "fees"),
        ("bank", "-98.33", None),
        ("cash USD", "118", None),
    ]


def test_securities_are_an_account_at_book_value():
    ledger = after_earlier("assets:broker 4.5 XYZ @@ 90 EUR", "assets:bank -90 EUR")
    assert ledger.records == [("broker EUR securities", "90", None), ("bank", "-90", None)]
    assert ledger.of_type("Record")[0]["note"] == "4.5 XYZ"
    (depot,) = [a for a in ledger.of_type("Account") if a["accountType"] == "Investment"]
    assert depot["name"] == "broker EUR securities"


def test_money_with_its_price_in_units_is_money():
    ledger = after_earlier("assets:bank -90 EUR @@ -4.5 XYZ", "assets:broker 4.5 XYZ")
    assert ledger.records == [("bank", "-90", None), ("broker EUR securities", "90", None)]


def test_units_without_money_are_counted():
    ledger = after_earlier("assets:broker 4.5 XYZ", "equity:opening -4.5 XYZ")
    assert ledger.records == []
    assert "movements of securities without a value in money, not imported: 1" in ledger.remarks


# -- rounding


def test_amounts_are_rounded_so_that_each_balance_is_what_the_program_shows():
    ledger = Ledger(
        *(transaction(n, "assets:bank -1/3 EUR", "expenses:food 1/3 EUR", day=n) for n in (1, 2, 3))
    )
    assert [amount for _, amount, _ in ledger.records] == ["-0.33", "-0.34", "-0.33"]
    assert "amounts that are rounded, so that each balance is as the program shows it: 3" in (
        ledger.remarks
    )


def test_four_places_are_kept_exactly():
    ledger = Ledger(transaction(1, "assets:bank -0.1234 EUR", "expenses:food 0.1234 EUR"), places=4)
    assert ledger.records == [("bank", "-0.1234", "food")]


def test_a_void_transaction_counts_in_no_balance():
    ledger = Ledger(
        transaction(1, "assets:bank 5 EUR", "income:pay -5 EUR", state="void"),
        transaction(2, "assets:bank 7 EUR", "income:pay -7 EUR"),
    )
    assert list(ledger.entry.balances().values()) == [70_000]


def test_the_balances_that_the_program_prints_are_those_to_compare_with():
    paid = transaction(1, "assets:bank 5 EUR", "income:pay -5 EUR")

    def balances(**told: int) -> dict[str, int]:
        printed = {(f"assets:{name}", "EUR"): Fraction(told[name]) for name in told}
        ledger = Ledger(paid, told=printed)
        return {ledger.names[i]: units for i, units in ledger.entry.balances().items()}

    assert balances(bank=6, cash=1) == {"bank": 60_000, "cash": 10_000}
    assert balances() == {"bank": 0}


# -- names


def test_categories_are_the_tree_below_the_root():
    ledger = after_earlier("assets:bank -5 EUR", "expenses:food:out 5 EUR")
    names = ledger.names
    categories = {
        each["name"]: (names.get(each["parentId"] or ""), each["kind"])
        for each in ledger.of_type("Category")
    }
    assert categories == {
        "food": (None, "expense"),
        "out": ("food", None),
        "fees": (None, "expense"),
        "pay": (None, "income"),
    }


def test_accounts_have_the_shortest_end_of_their_path_that_no_other_has():
    extra = {each.id: each for each in [account("liabilities:bank", Kind.MONEY)]}
    ledger = Ledger(
        transaction(1, "assets:bank 5 EUR", "income:pay -5 EUR"),
        transaction(2, "liabilities:bank 5 EUR", "assets:cash -5 EUR"),
        **extra,
    )
    assert list(ledger.initial) == ["assets:bank", "liabilities:bank", "cash"]


def test_an_account_of_several_currencies_has_no_name_of_another_account():
    twin = Account("twin", "bank EUR", None, Kind.MONEY)
    ledger = Ledger(
        transaction(1, "assets:bank 10 EUR", "income:pay -10 EUR"),
        transaction(2, "assets:bank 10 USD", "income:pay -10 USD"),
        transaction(3, "twin 10 EUR", "income:pay -10 EUR"),
        twin=twin,
    )
    names = [each["name"] for each in ledger.of_type("Account")]
    assert sorted(names) == ["bank (EUR)", "bank EUR", "bank USD"]


def test_an_account_with_one_currency_exists_even_if_it_is_empty():
    empty = account("assets:spare", Kind.MONEY, currency="USD", archived=True)
    ledger = Ledger(transaction(1, "assets:bank 5 EUR", "income:pay -5 EUR"), **{empty.id: empty})
    (spare,) = [each for each in ledger.of_type("Account") if each["name"] == "spare"]
    assert (spare["sourceId"], spare["archived"]) == ("assets:spare", True)


# -- any transaction

_PATHS = [path for path in ACCOUNTS if ":" in path]


def books(*costs: tuple[str, str]) -> st.SearchStrategy[list[Transaction]]:
    """Return books whose legs have any of these commodities, each with its rate to EUR."""
    legs = st.lists(
        st.tuples(
            st.sampled_from(_PATHS), st.integers(-10_000_000, 10_000_000), st.sampled_from(costs)
        ),
        min_size=1,
        max_size=6,
    )
    return st.lists(st.tuples(st.integers(1, 28), legs), min_size=1, max_size=8).map(
        lambda drawn: [_balanced(n, day, legs) for n, (day, legs) in enumerate(drawn)]
    )


def _balanced(number: int, day: int, legs: list[tuple[str, int, tuple[str, str]]]) -> Transaction:
    texts, rest = [], Fraction()
    for path, amount, (commodity, rate) in legs:
        quantity = Fraction(amount, 10_000)
        texts.append(f"{path} {quantity} {commodity} @@ {quantity * Fraction(rate)} EUR")
        rest -= quantity * Fraction(rate)
    return transaction(number, *texts, f"expenses:fees {rest} EUR", day=day)


@given(books(("EUR", "1"), ("USD", "7/8"), ("XYZ", "31/3")), st.integers(0, 4))
def test_balances_on_each_day_are_those_of_the_legs(book: list[Transaction], places: int):
    ledger = Ledger(*book, places=places)
    accounts = ledger.of_type("Account")
    names = {each["id"]: each["sourceId"] for each in accounts}
    # An initial balance is there before its day.
    opened = {a["sourceId"] for a in accounts if a.get("initialBalance")}
    for day in range(1, 29):
        exact: defaultdict[str, Fraction] = defaultdict(Fraction)
        for leg in (leg for each in book if each.day.day <= day for leg in each.legs):
            if ACCOUNTS[leg.account].kind is Kind.MONEY and leg.commodity == "XYZ":
                exact[f"{leg.account} EUR securities"] += leg.value
            elif ACCOUNTS[leg.account].kind is Kind.MONEY:
                exact[f"{leg.account} {leg.commodity}"] += leg.quantity
        sums = {a["sourceId"]: Fraction(a.get("initialBalance", 0)) for a in accounts}
        for record in ledger.of_type("Record"):
            if date.fromisoformat(record["recordDate"]).day <= day:
                sums[names[record["accountId"]]] += Fraction(record["amount"])
        for name, total in exact.items():
            if day == 28 or name not in opened:
                assert sums[name] == Fraction(round(total * 10**places), 10**places), (name, day)
    halves = Counter(r["transferId"] for r in ledger.of_type("Record") if r.get("transferId"))
    assert set(halves.values()) <= {2}


@given(books(("EUR", "1")))
def test_sums_of_categories_are_those_of_the_legs(book: list[Transaction]):
    ledger = Ledger(*book, places=4)
    sums: Counter[str] = Counter()
    for record in ledger.of_type("Record"):
        if record.get("categoryId"):
            sums[record["categoryId"]] -= record["amount"]
    exact: defaultdict[str, Fraction] = defaultdict(Fraction)
    for leg in (leg for each in book for leg in each.legs):
        if ACCOUNTS[leg.account].kind in (Kind.INCOME, Kind.EXPENSE):
            exact[IDS.get("Category", leg.account)] += leg.value
    assert {k: Fraction(v) for k, v in sums.items() if v and k in exact} == {
        k: v for k, v in exact.items() if v
    }


def test_accounts_without_transactions_are_named():
    book = Ledger(transaction(1, "assets:bank -5 EUR", "expenses:food 5 EUR"))
    left_out = (
        "accounts without transactions, not imported: 4 ('cash', 'broker', 'savings', 'card')"
    )
    assert left_out in book.remarks
    kept = account("assets:bank", Kind.MONEY, currency="EUR")
    others = {each: account(each, Kind.EXPENSE) for each in ACCOUNTS if "s:" in each}
    assert Ledger(**others | {"assets:bank": kept}).remarks == []
