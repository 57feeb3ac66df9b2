"""Accounts, transactions, balances and identities."""

import pytest

from finance_api.importers.interface import Correction, Entry, ImportRefused
from finance_api.values.time import date_text, instant_text
from support.ofx import read_ofx
from support.whole import Whole

ACCOUNT = "<CURDEF>EUR<BANKACCTFROM><BANKID>B<ACCTID>1<ACCTTYPE>CHECKING</BANKACCTFROM>"
CARD = "<CURDEF>EUR<CCACCTFROM><ACCTID>9</CCACCTFROM>"
DEPOT = "<CURDEF>EUR<INVACCTFROM><BROKERID>D<ACCTID>5</INVACCTFROM>"


def read(body: str, currency: str | None = None) -> list[Whole]:
    return read_ofx(f"<OFX>{body}</OFX>", currency)


def refusal(body: str, currency: str | None = None) -> ImportRefused:
    with pytest.raises(ImportRefused) as refused:
        read(body, currency)
    return refused.value


def statement(*transactions: str, account: str = ACCOUNT) -> str:
    return f"<STMTRS>{account}<BANKTRANLIST>{''.join(transactions)}</BANKTRANLIST></STMTRS>"


def transaction(
    fitid: str = "", amount: str = "-1", date: str = "20240131", fields: str = ""
) -> str:
    return (
        f"<STMTTRN><DTPOSTED>{date}<TRNAMT>{amount}"
        f"{'<FITID>' if fitid else ''}{fitid}{fields}</STMTTRN>\n"
    )


def entries(body: str) -> list[Entry]:
    return [entry for found in read(body) for entry in found.entries]


def bank_ids(*transactions: str) -> list[str | None]:
    return [entry.bank_id for entry in entries(statement(*transactions))]


@pytest.mark.parametrize(
    ("bank_type", "account_type", "name"),
    [
        ("CHECKING", "CurrentAccount", "Checking 7"),
        ("savings", "SavingAccount", "Savings 7"),
        ("MONEYMRKT", "SavingAccount", "Money market 7"),
        ("CD", "SavingAccount", "Certificate of deposit 7"),
        ("CREDITLINE", "Overdraft", "Credit line 7"),
        ("SOMETHING", "General", "Account 7"),
        ("", "General", "Account 7"),
    ],
)
def test_account_type_and_name_follow_the_bank_s_type(
    bank_type: str, account_type: str, name: str
) -> None:
    origin = f"<BANKACCTFROM><ACCTID>7<ACCTTYPE>{bank_type}</BANKACCTFROM>"
    account = read(statement(account=origin))[0].account
    assert (account.account_type, account.name, account.number) == (account_type, name, "7")


@pytest.mark.parametrize(
    ("origin", "key"),
    [
        ("<BANKACCTFROM><BANKID>1<ACCTID>2</BANKACCTFROM>", "1/2"),
        ("<BANKACCTFROM><BANKID>1<BRANCHID>3<ACCTID>2</BANKACCTFROM>", "1/3/2"),
        ("<BANKACCTFROM><BANKID><ACCTID>2</BANKACCTFROM>", "2"),
        ("<BANKACCTFROM><BANKID>1<ACCTID></BANKACCTFROM>", None),
        ("<CCACCTFROM><ACCTID>2</CCACCTFROM>", "2"),
        ("<INVACCTFROM><BROKERID>b.example<ACCTID>2</INVACCTFROM>", "b.example/2"),
        ("<BANKID>1<ACCTID>2", "1/2"),
        ("", None),
    ],
)
def test_account_s_key_is_its_institution_and_its_number(origin: str, key: str | None) -> None:
    assert read(statement(transaction("x"), account=origin))[0].account.key == key


def test_other_account_of_a_transaction_is_not_the_statement_s() -> None:
    other = "<BANKACCTTO><BANKID>X<ACCTID>Y</BANKACCTTO>"
    found = read(statement(transaction("x", fields=other), account="<CURDEF>EUR"))[0]
    assert found.account.key is None
    assert found.entries[0].counterparty_account == "Y"


def test_currency_is_the_file_s_or_the_given_one() -> None:
    assert read(statement(account="<CURDEF>usd"), "CHF")[0].account.currency == "USD"
    assert read(statement(account="<CURDEF>"), "CHF")[0].account.currency == "CHF"
    assert read(statement(account=""))[0].account.currency is None


def test_currency_that_does_not_exist_is_refused() -> None:
    assert "'EURO' is not an ISO 4217" in refusal(statement(account="<CURDEF>EURO")).reason


@pytest.mark.parametrize(
    "currency",
    [
        "<ORIGCURRENCY><CURRATE>1.1<CURSYM>USD</ORIGCURRENCY>",
        "<CURRENCY><CURRATE>1<CURSYM>EUR</CURRENCY>",
        "<CURRENCY></CURRENCY>",
        "<CURRENCY>EUR",
    ],
)
def test_amount_in_the_account_s_currency_is_taken_as_it_is(currency: str) -> None:
    assert entries(statement(transaction("x", fields=currency)))[0].amount == -10_000


def test_amount_in_another_currency_is_refused() -> None:
    currency = "\n<CURRENCY><CURRATE>1.1<CURSYM>USD</CURRENCY>"
    refused = refusal(statement(transaction("x", fields=currency)))
    assert "'USD' is the currency of this transaction, and the account is in EUR" in refused.reason
    assert refused.line == 2
    assert refusal(statement(transaction("x", fields=currency), account=""))
    assert read(statement(transaction("x", fields=currency), account=""), "USD")


@pytest.mark.parametrize(
    ("trntype", "on_account", "on_card"),
    [
        ("ATM", "cash", "cash"),
        ("CASH", "cash", "cash"),
        ("pos", "debit_card", "credit_card"),
        ("XFER", "transfer", "transfer"),
        ("DIRECTDEBIT", "transfer", "transfer"),
        ("DIRECTDEP", "transfer", "transfer"),
        ("DEBIT", None, None),
        ("CHECK", None, None),
        ("", None, None),
    ],
)
def test_payment_type_is_given_where_it_is_certain(
    trntype: str, on_account: str | None, on_card: str | None
) -> None:
    row = transaction("x", fields=f"<TRNTYPE>{trntype}")
    assert entries(statement(row))[0].payment_type == on_account
    assert entries(f"<CCSTMTRS>{CARD}{row}</CCSTMTRS>")[0].payment_type == on_card


def test_sign_is_the_written_one_whatever_the_type() -> None:
    rows = [
        transaction("a", "5", fields="<TRNTYPE>DEBIT"),
        transaction("b", "-5", fields="<TRNTYPE>CREDIT"),
        transaction("c", "-6", fields="<TRNTYPE>DEBIT"),
    ]
    assert [entry.amount for entry in entries(statement(*rows))] == [50_000, -50_000, -60_000]


def test_types_that_contradict_every_sign_are_asked_about() -> None:
    text = statement(
        transaction("a", "12.50", fields="<TRNTYPE>DEBIT"),
        transaction("b", "-100", fields="<TRNTYPE>CREDIT"),
        transaction("c", "3", fields="<TRNTYPE>FEE"),
    )
    refused = refusal(text)
    assert [answer.words for answer in refused.answers] == [
        ("--positive", "in"),
        ("--positive", "out"),
    ]
    for positive, way in (("in", 1), ("out", -1)):
        (found,) = read_ofx(f"<OFX>{text}</OFX>", positive=positive)
        amounts = [entry.amount for entry in found.entries]
        assert amounts == [125_000 * way, -1_000_000 * way, 30_000 * way]


def test_debits_where_no_amount_has_a_minus_are_refused() -> None:
    debit, other = (
        transaction(amount=amount, fields=f"<TRNTYPE>{kind}")
        for kind, amount in (("DEBIT", "12"), ("CREDIT", "5"))
    )
    assert "DEBIT" in refusal(statement(other, debit)).reason
    assert len(entries(statement(debit, transaction(amount="-5")))) == 2
    # Each statement by itself.
    assert refusal(statement(transaction(amount="-5")) + statement(debit)).line == 2


@pytest.mark.parametrize(
    ("fields", "payee", "note"),
    [
        ("<NAME>  Shop  <MEMO> weekly ", "Shop", "weekly"),
        ("<MEMO>only a memo", None, "only a memo"),
        ("<PAYEE><NAME>Shop<CITY>Berlin</PAYEE>", "Shop", None),
        ("<PAYEE>Shop", "Shop", None),
        ("<NAME>Shop<PAYEE><NAME>Other</PAYEE>", "Shop", None),
    ],
)
def test_payee_is_the_name_and_the_note_the_memo(
    fields: str, payee: str | None, note: str | None
) -> None:
    (entry,) = entries(statement(transaction("x", fields=fields)))
    assert (entry.payee, entry.note) == (payee, note)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (transaction("x", date=""), "<STMTTRN> has no <DTPOSTED>"),
        (transaction("x", amount=""), "<STMTTRN> has no <TRNAMT>"),
        (transaction("x", date="20240231"), "<DTPOSTED> '20240231' is not a day of the calendar"),
        (transaction("x", amount="1,234"), "<TRNAMT> '1,234' can be read in two ways"),
        (transaction("x", amount="0.00001"), "has more than 4 decimal places"),
        (transaction("x" * 256), "is longer than 255 characters"),
        (transaction("x", fields="<CORRECTFITID>w"), "no <CORRECTACTION> says REPLACE or DELETE"),
        (transaction("x", fields="<CORRECTFITID>w<CORRECTACTION>X"), "no <CORRECTACTION> says"),
        (transaction("x", fields="<DTAVAIL>soon"), "<DTAVAIL> 'soon' is not a date"),
    ],
)
def test_transaction_that_cannot_be_read_is_refused_with_its_line(row: str, words: str) -> None:
    refused = refusal(statement("\n", transaction("fine"), row))
    assert words in refused.reason
    assert refused.line == 3


@pytest.mark.parametrize("fitid", ["2024/7", "x#2", "00x", "0.0"])
def test_bank_s_id_is_the_one_that_is_written(fitid: str) -> None:
    assert bank_ids(transaction(fitid)) == [fitid]


@pytest.mark.parametrize("missing", ["", "0", "0000000", " 00 "])
def test_what_stands_in_for_an_id_is_none(missing: str) -> None:
    assert bank_ids(transaction(missing), transaction(missing)) == [None, None]


def test_every_transaction_is_an_entry_whatever_its_id() -> None:
    first, second = read(
        statement(transaction("x"), transaction("x", "2"))
        + statement(transaction("x"), transaction("x"))
    )
    assert [(entry.bank_id, entry.amount) for entry in first.entries] == [
        ("x", -10_000),
        ("x", 20_000),
    ]
    assert [(entry.bank_id, entry.amount) for entry in second.entries] == [("x", -10_000)] * 2
    assert (first.statement.skipped, second.statement.skipped) == ({}, {})


@pytest.mark.parametrize(
    ("fields", "reference"),
    [
        ("<CHECKNUM>1005", "1005"),
        ("<REFNUM>R 7", "R 7"),
        ("<REFNUM>R7<CHECKNUM>1005", "1005"),
        ("<CHECKNUM>0000<REFNUM>R7", "R7"),
        ("<CHECKNUM><REFNUM>0", None),
    ],
)
def test_reference_is_the_check_s_number_or_the_bank_s(fields: str, reference: str | None) -> None:
    assert entries(statement(transaction("x", fields=fields)))[0].reference == reference


@pytest.mark.parametrize(
    ("fields", "number"),
    [
        ("<BANKACCTTO><BANKID>X<ACCTID>DE02 1203 0000 0000 2020 51</BANKACCTTO>",)
        + ("DE02120300000000202051",),
        ("<CCACCTTO><ACCTID>4111</CCACCTTO>", "4111"),
        ("<BANKACCTTO><BANKID>X</BANKACCTTO>", None),
        ("<ACCTID>7", None),
    ],
)
def test_counterparty_s_account_is_without_blanks(fields: str, number: str | None) -> None:
    (found,) = read(statement(transaction("x", fields=fields)))
    assert found.entries[0].counterparty_account == number
    assert found.account.number == "1"


@pytest.mark.parametrize(
    ("fields", "day"),
    [
        ("<DTAVAIL>20240202120000", "2024-02-02"),
        ("<DTUSER>20240202", None),
        ("<DTAVAIL>", None),
        ("<DTAVAIL>00000000", None),
    ],
)
def test_value_date_is_the_day_on_which_the_money_is_available(
    fields: str, day: str | None
) -> None:
    value_date = entries(statement(transaction("x", fields=fields)))[0].value_date
    assert (value_date and date_text(value_date)) == day


def test_amount_in_the_original_currency_is_not_worked_out() -> None:
    """-7.90 at 0.79 may have been 10, or 9.99 or 10.01; some banks write the inverse rate."""
    currency = "<ORIGCURRENCY><CURRATE>0.79<CURSYM>USD</ORIGCURRENCY>"
    (entry,) = entries(statement(transaction("x", "-7.90", fields=currency)))
    assert (entry.amount, entry.original_amount, entry.original_currency) == (-79_000, None, None)


@pytest.mark.parametrize(
    ("fields", "correction"),
    [
        ("<CORRECTFITID>w<CORRECTACTION>REPLACE", Correction("w")),
        ("<CORRECTFITID>w<CORRECTACTION>delete", Correction("w", deletes=True)),
        ("<CORRECTFITID>0<CORRECTACTION>REPLACE", None),
        ("<CORRECTFITID><CORRECTACTION>", None),
    ],
)
def test_correction_names_what_it_corrects(fields: str, correction: Correction | None) -> None:
    (found,) = read(statement(transaction("x", fields=fields)))
    assert found.entries[0].correction == correction
    assert found.statement.remarks == []


@pytest.mark.parametrize("action", ["<CORRECTACTION>REPLACE", "<CORRECTACTION>DELETE", ""])
def test_correction_of_itself_is_an_entry_like_any_other(action: str) -> None:
    rows = [transaction("x", fields=f"<CORRECTFITID>x{action}"), transaction("y")] * 2
    (found,) = read(statement(*rows))
    assert [entry.correction for entry in found.entries] == [None] * 4
    assert found.statement.remarks == [
        "transactions that are said to correct themselves are imported as they are"
    ]


def test_two_balances_of_one_account_stay_two_statements() -> None:
    months = [
        f"<STMTRS>{ACCOUNT}<LEDGERBAL><BALAMT>{amount}<DTASOF>{date}</LEDGERBAL></STMTRS>"
        for amount, date in (("1,5", "20240131"), ("-2.5", "20240229120000[-5:EST]"))
    ]
    balances = [found.statement.closing for found in read("".join(months))]
    assert [(b.amount, date_text(b.date)) for b in balances if b] == [
        (15_000, "2024-01-31"),
        (-25_000, "2024-02-29"),
    ]


@pytest.mark.parametrize(
    "balance",
    ["", "<LEDGERBAL></LEDGERBAL>", "<LEDGERBAL><BALAMT> <DTASOF>20240131</LEDGERBAL>"]
    + ["<LEDGERBAL><BALAMT>5</LEDGERBAL>", "<LEDGERBAL><BALAMT>5<DTASOF>00000000</LEDGERBAL>"]
    + ["<AVAILBAL><BALAMT>5<DTASOF>20240131</AVAILBAL>"],
)
def test_balance_without_amount_or_date_is_none(balance: str) -> None:
    assert read(f"<STMTRS>{ACCOUNT}{balance}</STMTRS>")[0].statement.closing is None


@pytest.mark.parametrize("balance", ["<BALAMT>five<DTASOF>20240131", "<BALAMT>5<DTASOF>20240231"])
def test_malformed_balance_is_refused_with_its_line(balance: str) -> None:
    assert refusal(f"\n<STMTRS>{ACCOUNT}\n<LEDGERBAL>{balance}</LEDGERBAL></STMTRS>").line == 3


def test_statement_is_found_wherever_it_stands() -> None:
    bare = f"{ACCOUNT}{transaction('x')}"
    for body in (
        f"<STMTRS>{bare}</STMTRS>",
        f"<BANKMSGSRSV1><STMTTRNRS><STMTRS>{bare}</STMTRS></STMTTRNRS></BANKMSGSRSV1>",
        f"<STMTTRNRS>{bare}</STMTTRNRS>",
        f"<VENDOR.WRAPPER><STMTRS>{bare}</STMTRS></VENDOR.WRAPPER>",
        bare,
    ):
        (found,) = read(body)
        assert found.account.key == "B/1"
        assert len(found.entries) == 1
    assert len(read_ofx(f"<STMTRS>{bare}</STMTRS>")) == 1


def test_statement_without_transactions_is_fine() -> None:
    (found,) = read(statement())
    assert (found.entries, found.statement.closing, found.statement.skipped) == ([], None, {})


def test_transactions_beside_a_statement_are_refused() -> None:
    assert "no statement" in refusal(statement() + transaction("x")).reason


@pytest.mark.parametrize(("first", "second"), [("CHECKING", "SAVINGS"), ("SAVINGS", "CD")])
def test_two_kinds_of_account_under_one_number_are_refused(first: str, second: str) -> None:
    bodies = [statement(account=ACCOUNT.replace("CHECKING", kind)) for kind in (first, second)]
    refused = refusal("\n".join(bodies))
    assert "under the same number" in refused.reason
    assert refused.line == 2


def test_pending_transactions_are_counted_and_not_imported() -> None:
    pending = "<STMTTRNP><DTTRAN>20240131<TRNAMT>-9<NAME>later</STMTTRNP>"
    body = f"<STMTRS>{ACCOUNT}{transaction('x')}<BANKTRANLISTP>{pending}</BANKTRANLISTP></STMTRS>"
    (found,) = read(body)
    assert len(found.entries) == 1
    assert found.statement.skipped == {"pending transaction": 1}


def test_answer_with_an_error_is_refused_with_the_bank_s_words() -> None:
    status = "<STATUS><CODE>15500<SEVERITY>ERROR<MESSAGE>Signon invalid</STATUS>"
    refused = refusal(f"\n<SIGNONMSGSRSV1><SONRS>{status}</SONRS></SIGNONMSGSRSV1>")
    assert "error 15500: 'Signon invalid'" in refused.reason
    assert refused.line == 2


def test_file_without_a_statement_is_refused() -> None:
    assert refusal("<SIGNONMSGSRSV1></SIGNONMSGSRSV1>").reason.startswith(
        "the file holds no statement: "
    )
    with pytest.raises(ImportRefused, match="not an OFX file"):
        read_ofx(b"Date,Amount\n")


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
        # What is bought takes money out, what is sold brings it in; the rest is as it is written.
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


DAYS = "<DTSTART>20240101<DTEND>20240131"


def listed(days: str, balance: str = "") -> str:
    rows = f"<BANKTRANLIST>{days}{transaction('x')}</BANKTRANLIST>"
    return f"<STMTRS>{ACCOUNT}{rows}{balance}</STMTRS>"


@pytest.mark.parametrize(
    ("days", "first", "last"),
    [
        (DAYS, "2024-01-01", "2024-01-31"),
        ("<DTSTART>20240101000000[-5:EST]<DTEND>20240131235959[-5:EST]",)
        + ("2024-01-01", "2024-01-31"),
        ("<DTEND>20240131", None, "2024-01-31"),
        ("<DTSTART>00000000<DTEND>20240131", None, "2024-01-31"),
        ("<DTSTART>20240201<DTEND>20240131", None, None),
        ("", None, None),
    ],
)
def test_days_that_are_covered_are_the_list_s(
    days: str, first: str | None, last: str | None
) -> None:
    found = read(listed(days))[0].statement
    assert (found.first_day and date_text(found.first_day)) == first
    assert (found.last_day and date_text(found.last_day)) == last


def test_days_of_several_lists_are_not_taken_together() -> None:
    lists = "".join(f"<BANKTRANLIST>{days}</BANKTRANLIST>" for days in (DAYS, DAYS))
    found = read(f"<STMTRS>{ACCOUNT}{lists}</STMTRS>")[0].statement
    assert (found.first_day, found.last_day) == (None, None)


def test_day_that_does_not_exist_is_refused() -> None:
    assert "not a day of the calendar" in refusal(listed("<DTSTART>20240231")).reason


@pytest.mark.parametrize(
    ("days", "balance", "moment"),
    [
        (DAYS, "20240203", "2024-02-03T00:00:00Z"),
        (DAYS, "20240203101112", "2024-02-03T10:11:12Z"),
        (DAYS, "20240203101112.500[-5:EST]", "2024-02-03T15:11:12Z"),
        (DAYS, "20240203101112[+5.5:IST]", "2024-02-03T04:41:12Z"),
        (DAYS, "20240203991112", "2024-02-03T00:00:00Z"),
        (DAYS, "00000000000000", "2024-01-31T00:00:00Z"),
        (DAYS, "", "2024-01-31T00:00:00Z"),
        ("", "", None),
    ],
)
def test_statement_is_as_old_as_its_balance_or_its_last_day(
    days: str, balance: str, moment: str | None
) -> None:
    ledger = f"<LEDGERBAL><BALAMT>5<DTASOF>{balance}</LEDGERBAL>"
    as_of = read(listed(days, ledger))[0].statement.as_of
    assert (as_of and instant_text(as_of)) == moment


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
    assert "stands inside the <SPLIT> of line 1" in refused.reason
    assert refused.line == 2


def test_trade_outside_of_every_statement_is_refused() -> None:
    trade = "<INCOME><FITID>1<DTTRADE>20240131<TOTAL>5</INCOME>"
    refused = refusal(statement() + "\n" + trade)
    assert (refused.reason, refused.line) == ("the transaction stands in no statement", 2)
    assert "holds no statement" in refusal(trade).reason


def test_account_may_stand_behind_its_transactions() -> None:
    (found,) = read(f"<STMTRS>{transaction('x')}<CURDEF>USD{ACCOUNT[11:]}</STMTRS>")
    assert (found.account.key, found.account.currency, len(found.entries)) == ("B/1", "USD", 1)


def test_statements_come_in_the_order_of_the_file_each_before_its_entries() -> None:
    second = ACCOUNT.replace("<ACCTID>1", "<ACCTID>2")
    third = ACCOUNT.replace("<ACCTID>1", "<ACCTID>3")
    body = statement() + statement(transaction("x"), account=second) + statement(account=third)
    found = read(body)
    assert [whole.account.number for whole in found] == ["1", "2", "3"]
    assert [len(whole.entries) for whole in found] == [0, 1, 0]
