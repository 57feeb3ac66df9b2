"""Investment statements: the cash amounts of transactions."""

import pytest

from finance_api.values.time import date_text
from support.ofx import entries, read, refusal, statement, transaction

DEPOT = "<CURDEF>EUR<INVACCTFROM><BROKERID>D<ACCTID>5</INVACCTFROM>"
DAYS = "<DTSTART>20240101<DTEND>20240131"


def investment(transactions: str) -> str:
    return f"<INVSTMTRS>{DEPOT}<INVTRANLIST>{transactions}</INVTRANLIST></INVSTMTRS>"


def test_every_investment_transaction_with_cash_is_an_entry() -> None:
    names = "BUYDEBT BUYMF BUYOPT BUYOTHER BUYSTOCK SELLDEBT SELLMF SELLOPT SELLOTHER SELLSTOCK"
    names += " INCOME INVEXPENSE MARGININTEREST RETOFCAP"
    for total in ("-1.5", "1.5"):
        rows = [
            f"<{name}><INVTRAN><FITID>{name}<DTTRADE>20240131</INVTRAN><TOTAL>{total}</{name}>"
            for name in names.split()
        ]
        found = entries(investment("".join(rows)))
        assert [entry.bank_id for entry in found] == names.split()
        amounts = [entry.amount for entry in found]
        # Purchases take money out, sales bring it in; other amounts keep their sign.
        assert amounts == [-15_000] * 5 + [15_000] * 5 + [round(float(total) * 10_000)] * 4


def test_investment_transactions_that_are_not_closed_stay_apart() -> None:
    row = "<BUYMF><INVBUY><INVTRAN><FITID>{0}<DTTRADE>20240131<TOTAL>-{0}"
    rows = row.format(1) + row.format(2) + row.format(3)
    assert [entry.amount for entry in entries(investment(rows))] == [-10_000, -20_000, -30_000]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ("<DTTRADE>20240131</INVTRAN>", "<INCOME> has no <TOTAL>"),
        ("</INVTRAN><TOTAL>5", "<INCOME> has no <DTTRADE>"),
        ("<DTTRADE>20240131</INVTRAN><TOTAL>5<CURRENCY><CURSYM>USD</CURRENCY>", "'USD'"),
    ],
)
def test_investment_transaction_that_cannot_be_read_is_refused(fields: str, words: str) -> None:
    refused = refusal("\n" + investment(f"<INCOME><INVTRAN><FITID>1{fields}</INCOME>"))
    assert words in refused.reason
    assert refused.line == 2


def test_cash_balance_of_investments_is_not_a_ledger_balance() -> None:
    balance = "<LEDGERBAL><BALAMT>5<DTASOF>20240131</LEDGERBAL>"
    assert read(f"<INVSTMTRS>{DEPOT}{balance}</INVSTMTRS>")[0].statement.closing is None


def test_investment_statement_has_its_days_and_its_age() -> None:
    found = read(
        f"<INVSTMTRS><DTASOF>20240210{DEPOT}<INVTRANLIST>{DAYS}</INVTRANLIST></INVSTMTRS>"
    )[0].statement
    assert found.first_day and date_text(found.first_day) == "2024-01-01"
    assert found.as_of and date_text(found.as_of) == "2024-02-10"
    assert found.closing is None


def test_equal_trades_of_different_securities_under_one_id_stay_two() -> None:
    rows = [
        "<BUYMF><INVTRAN><FITID>1<DTTRADE>20240131<DTSETTLE>20240202</INVTRAN>"
        f"<SECID><UNIQUEID>{security}</SECID><TOTAL>-5</BUYMF>"
        for security in ("A1", "B2")
    ]
    first, second = entries(investment("".join(rows)))
    assert (first.fingerprint, second.fingerprint) == ("A1", "B2")
    assert first.value_date and date_text(first.value_date) == "2024-02-02"


def test_names_of_securities_are_found_before_and_behind_the_statement() -> None:
    trade = "<INCOME><FITID>1<DTTRADE>20240131<UNIQUEID>A1<TOTAL>5</INCOME>"
    names = "<SECLIST><SECINFO><UNIQUEID>A1<SECNAME>Apples</SECINFO></SECLIST>"
    for body in (names + investment(trade), investment(trade) + names):
        assert entries(body)[0].payee == "Apples"


@pytest.mark.parametrize("row", [transaction("x"), "<STMTTRNP><DTTRAN>20240131</STMTTRNP>"])
def test_transaction_inside_another_one_is_refused(row: str) -> None:
    refused = refusal(investment(f"<SPLIT>\n{row}</SPLIT>"))
    assert "is inside the <SPLIT> of line 1" in refused.reason
    assert refused.line == 2


def test_trade_outside_of_every_statement_is_refused() -> None:
    trade = "<INCOME><FITID>1<DTTRADE>20240131<TOTAL>5</INCOME>"
    refused = refusal(statement() + "\n" + trade)
    assert (refused.reason, refused.line) == ("the transaction is not inside a statement", 2)
    assert "contains no statement" in refusal(trade).reason
