"""Amounts in the currency of the account, beside those of operations; whole currencies."""

import pytest

from finance_api.importers.clauses import Topic
from finance_api.importers.interface import ImportRefused
from finance_api.values.number import decimal_text
from support.csv_files import answers, read, refusal


def money(text, **options):
    """Return account, currency and amount of each record, with the operation's amount, if any."""
    found = []
    for each in read(text, **({"account": "Giro"} | options)):
        for entry in each.entries:
            account = each.statement.account
            original = entry.original_amount
            other = None if original is None else decimal_text(original)
            amount = decimal_text(entry.amount)
            found.append((account.name, account.currency, amount, other, entry.original_currency))
    return found


def table(headings, *rows):
    lines = [f"2026-01-{day:02};Shop {day};{row}\n" for day, row in enumerate(rows, 13)]
    return f"Date;Description;{headings}\n" + "".join(lines)


MIXED = ("-12.00;EUR;-51.60;PLN", "-30.00;PLN;-30.00;PLN", "900.00;PLN;900.00;PLN")
FOREIGN = ("-12.00;EUR;-51.60;PLN", "90.00;EUR;387.00;PLN")
OWN = "Giro", "PLN"


@pytest.mark.parametrize(
    "headings",
    [
        "Kwota operacji;Waluta operacji;Kwota w walucie rachunku;Waluta rachunku",
        "Amount;Currency;Billing amount;Billing currency",
        "Original amount;Original currency;Amount;Currency",
        "Betrag;Währung;Betrag in Kontowährung;Kontowährung",
        "Montant opération;Devise opération;Montant;Devise du compte",
    ],
)
def test_the_amount_in_the_accounts_currency_counts(headings):
    rows = money(table(headings, *MIXED))
    assert rows[0] == (*OWN, "-51.6", "-12", "EUR")
    assert [row[:3] for row in rows[1:]] == [(*OWN, "-30"), (*OWN, "900")]
    foreign = money(table(headings, *FOREIGN))
    assert foreign == [(*OWN, "-51.6", "-12", "EUR"), (*OWN, "387", "90", "EUR")]


def test_the_accounts_pair_may_stand_first():
    text = table("Account amount;Account currency;Amount;Currency", "-51.60;PLN;-12.00;EUR",
        "-30.00;PLN;-30.00;PLN")  # fmt: skip
    assert money(text)[0] == (*OWN, "-51.6", "-12", "EUR")


def test_the_pair_whose_currency_never_changes_is_the_accounts():
    text = table("Amount 1;Code 1;Amount 2;Code 2", *MIXED)
    assert money(text)[0] == (*OWN, "-51.6", "-12", "EUR")


def test_two_pairs_of_one_currency_each_are_asked_about_unless_the_currency_is_given():
    text = table("Amount 1;Code 1;Amount 2;Code 2", *FOREIGN)
    ends = []
    question, *_ = refusal(text, account="Giro").questions
    for choice in question.choices:
        ends.append(money(text, **choice.changes)[0])
    assert sorted(ends) == [("Giro", "EUR", "-12", "-51.6", "PLN"), (*OWN, "-51.6", "-12", "EUR")]
    assert money(text, currency="PLN")[0] == (*OWN, "-51.6", "-12", "EUR")
    assert money(text, currency="EUR")[0] == ("Giro", "EUR", "-12", "-51.6", "PLN")


def test_several_currencies_of_the_account_are_several_accounts():
    headings = "Transaction amount;Transaction currency;Account amount;Account currency"
    text = table(headings, "-12.00;EUR;-51.60;PLN", "-30.00;PLN;-7.10;USD")
    assert [row[:3] for row in money(text)] == [
        ("Giro PLN", "PLN", "-51.6"),
        ("Giro USD", "USD", "-7.1"),
    ]


def test_a_currency_of_the_operation_alone_leaves_that_of_the_account_open():
    text = table(
        "Kwota operacji;Waluta operacji;Kwota w walucie rachunku",
        *(row.rsplit(";", 1)[0] for row in MIXED),
    )
    assert money(text, currency="PLN")[0] == (*OWN, "-51.6", "-12", "EUR")


def test_amounts_that_differ_in_one_currency_are_no_pairs():
    text = table("Amount;Currency;Tax amount;Tax currency", "-12.00;EUR;-1.60;EUR",
        "-30.00;EUR;-5.00;EUR")  # fmt: skip
    with pytest.raises(ImportRefused, match="Tax amount"):
        money(text)


@pytest.mark.parametrize("mark", [",", "."])
@pytest.mark.parametrize("code", ["JPY", "KRW", "CLP", "ISK"])
def test_a_currency_without_decimals_has_only_thousands(code, mark):
    rows = [f"-1{mark}200", f"3{mark}450"]
    text = table("Amount", *rows)
    assert [row[2] for row in money(text, currency=code)] == ["-1200", "3450"]
    coded = table("Amount;Currency", *(f"{row};{code}" for row in rows))
    assert [row[2] for row in money(coded)] == ["-1200", "3450"]
    assert "--decimal" in " ".join(answers(refusal(text, currency="KWD")))


def test_decimals_of_a_currency_without_decimals_are_refused_with_their_line():
    text = table("Amount", "-1200.50", "3450")
    refused = refusal(text, account="Giro", currency="JPY")
    assert refused.line == 2 and "JPY has no decimals" in refused.reason
    assert not refused.answers
    grouped = refusal(text.replace("1200.50", "1.200"), currency="JPY", decimal=".")
    assert answers(grouped) == ["--decimal ,"]
    zeros = text.replace("1200.50", "1200.00").replace("3450", "3450.00")
    assert [row[2] for row in money(zeros, currency="JPY")] == ["-1200", "3450"]


@pytest.mark.parametrize(("price", "is_offered"), [("3.50", True), ("", False)])
def test_a_column_with_blank_cells_is_not_offered_as_the_amount(price, is_offered):
    rows = f"2026-01-02,Shop,10.25,-30.75\n2026-01-13,Work,{price},200.00\n"
    refused = refusal(f"Date,Payee,Price,Amount\n{rows}", account="A", currency="EUR")
    offered = answers(refused)
    assert "--ignore Price" in offered
    assert any(each.startswith("--map amount=Price") for each in offered) == is_offered


FOREIGN_FIRST = ("-122.30;EUR;-101.92", "-141.54;GBP;-141.54", "-77.95;GBP;-77.95")


@pytest.mark.parametrize("heading", ["Original Amount", "Foreign Amount", "Originalbetrag"])
def test_a_currency_whose_rows_alone_are_equal_is_that_of_the_original_amount(heading):
    text = table(f"{heading};Currency;Amount", *FOREIGN_FIRST)
    rows = money(text)
    assert rows == money(text, currency="GBP")
    assert rows[0] == ("Giro", "GBP", "-101.92", "-122.3", "EUR")
    assert "originalCurrencyCode=Currency" in answers(refusal(text, currency="USD"))[0]
    assert [row[:3] for row in rows[1:]] == [("Giro", "GBP", "-141.54"), ("Giro", "GBP", "-77.95")]


@pytest.mark.parametrize("rows", [FOREIGN_FIRST[:1], ("-9.00;EUR;-8.00", "-5.00;USD;-4.00")])
def test_whose_a_currency_is_that_no_row_shows_is_asked_about(rows):
    text = table("Original Amount;Currency;Amount", *rows)
    original, own = answers(refusal(text, account="Giro"))
    assert "originalCurrencyCode=Currency" in original and "currency=Currency" in own


def test_a_currency_of_equal_and_of_other_amounts_is_the_accounts():
    text = table("Original Amount;Currency;Amount", "-5.00;EUR;-5.00", "-9.00;EUR;-8.00")
    assert [row[:3] for row in money(text)] == [("Giro", "EUR", "-5"), ("Giro", "EUR", "-8")]
    text = table("Original Amount;Currency;Amount in EUR", "-9.00;EUR;-8.00", "-7.00;EUR;-6.00")
    assert [row[:3] for row in money(text)] == [("Giro", "EUR", "-8"), ("Giro", "EUR", "-6")]


@pytest.mark.parametrize("heading", ["To Account", "Transfer account", "Account (to)"])
@pytest.mark.parametrize("given", [{}, {"account": "Giro"}])
def test_a_column_of_accounts_that_only_transfers_have_is_asked_about(heading, given):
    own = "" if given else ",Checking"
    lines = [
        f"Date,Payee,{heading},Amount{',Account' if own else ''}",
        f"2026-03-02,Shop,,-12.50{own}",
        f"2026-03-05,,Savings,-200.00{own}",
        f"2026-03-09,Wages,,900.00{own}",
    ]
    text = "\n".join(lines) + "\n"
    with pytest.raises(ImportRefused) as refused:
        read(text, currency="EUR", **given)
    assert refused.value.questions[0].reason == Topic.SECOND_ACCOUNT
    assert answers(refused.value) == [f"--map counterpartyAccount={heading}", f"--ignore {heading}"]
    (found,) = read(text, currency="EUR", columns={"counterpartyAccount": heading}, **given)
    assert [e.counterparty_account for e in found.entries] == [None, "Savings", None]
