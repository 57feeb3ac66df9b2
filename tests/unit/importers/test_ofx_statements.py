"""Accounts, transactions, balances and identities."""

import io

import pytest

from finance_api.importers.interface import Entry, ImportRefused, Statement
from finance_api.importers.ofx import OfxImporter
from finance_api.values.time import date_text

ACCOUNT = "<CURDEF>EUR<BANKACCTFROM><BANKID>B<ACCTID>1<ACCTTYPE>CHECKING</BANKACCTFROM>"
CARD = "<CURDEF>EUR<CCACCTFROM><ACCTID>9</CCACCTFROM>"
DEPOT = "<CURDEF>EUR<INVACCTFROM><BROKERID>D<ACCTID>5</INVACCTFROM>"


def read(body: str, currency: str | None = None) -> list[Statement]:
    return OfxImporter(currency).read(io.BytesIO(f"<OFX>{body}</OFX>".encode()))


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


def source_ids(*transactions: str) -> list[str]:
    return [entry.source_id for entry in entries(statement(*transactions))]


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
    assert found.entries[0].source_id == "x"


def test_currency_is_the_file_s_or_the_given_one() -> None:
    assert read(statement(account="<CURDEF>usd"), "CHF")[0].account.currency == "USD"
    assert read(statement(account="<CURDEF>"), "CHF")[0].account.currency == "CHF"
    assert read(statement(account=""))[0].account.currency is None


def test_currency_that_does_not_exist_is_refused() -> None:
    assert "'EURO' is not an ISO 4217" in refusal(statement(account="<CURDEF>EURO")).reason
    assert "'EURO' is not an ISO 4217" in refusal(statement(), "EURO").reason


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
    ]
    assert [entry.amount for entry in entries(statement(*rows))] == [50_000, -50_000]


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
        (transaction("x", fields="<CORRECTFITID>w<CORRECTACTION>DELETE"), "corrections of earlier"),
    ],
)
def test_transaction_that_cannot_be_read_is_refused_with_its_line(row: str, words: str) -> None:
    refused = refusal(statement("\n", transaction("fine"), row))
    assert words in refused.reason
    assert refused.line == 3


def test_source_id_is_the_account_s_key_and_the_bank_s_id() -> None:
    assert source_ids(transaction("2024/7")) == ["B/1/2024%2F7"]


def test_bank_s_id_on_different_transactions_is_numbered_in_their_order() -> None:
    rows = [transaction("x", "1"), transaction("x", "2"), transaction("x", "1", "20240201")]
    assert source_ids(*rows) == ["B/1/x", "B/1/x#2", "B/1/x#3"]


def test_numbered_id_never_meets_one_that_the_bank_wrote() -> None:
    rows = [transaction("x#2"), transaction("x", "1"), transaction("x", "2"), transaction("x#2")]
    found = source_ids(*rows)
    assert len(found) == len(set(found)) == 3


def test_repeated_transaction_counts_once_even_in_another_statement() -> None:
    first, second = read(
        statement(transaction("x"), transaction("y"))
        + statement(transaction("y"), transaction("z"), transaction("y"))
    )
    assert [entry.source_id for entry in first.entries] == ["B/1/x", "B/1/y"]
    assert [entry.source_id for entry in second.entries] == ["B/1/z"]
    assert (first.skipped, second.skipped) == ({}, {"duplicate": 2})


def test_same_bank_id_on_two_accounts_is_two_transactions() -> None:
    other = ACCOUNT.replace("<ACCTID>1", "<ACCTID>2")
    found = entries(statement(transaction("x")) + statement(transaction("x"), account=other))
    assert [entry.source_id for entry in found] == ["B/1/x", "B/2/x"]


def test_equal_rows_without_a_bank_id_are_all_kept_and_stay_recognisable() -> None:
    for missing in ("", "0000000"):
        rows = [transaction(missing), transaction(missing), transaction(missing, "2")]
        found = source_ids(*rows)
        assert len(set(found)) == 3
        assert all(name.startswith("hash:") and len(name) == 69 for name in found)
        assert source_ids(rows[2], rows[0]) == [found[2], found[0]]


def test_two_balances_of_one_account_stay_two_statements() -> None:
    months = [
        f"<STMTRS>{ACCOUNT}<LEDGERBAL><BALAMT>{amount}<DTASOF>{date}</LEDGERBAL></STMTRS>"
        for amount, date in (("1,5", "20240131"), ("-2.5", "20240229120000[-5:EST]"))
    ]
    balances = [found.balance for found in read("".join(months))]
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
    assert read(f"<STMTRS>{ACCOUNT}{balance}</STMTRS>")[0].balance is None


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
    assert len(OfxImporter().read(io.BytesIO(f"<STMTRS>{bare}</STMTRS>".encode()))) == 1


def test_statement_without_transactions_is_fine() -> None:
    (found,) = read(statement())
    assert (found.entries, found.balance, found.skipped) == ((), None, {})


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
    assert found.skipped == {"pending transaction": 1}


def test_answer_with_an_error_is_refused_with_the_bank_s_words() -> None:
    status = "<STATUS><CODE>15500<SEVERITY>ERROR<MESSAGE>Signon invalid</STATUS>"
    refused = refusal(f"\n<SIGNONMSGSRSV1><SONRS>{status}</SONRS></SIGNONMSGSRSV1>")
    assert "error 15500: 'Signon invalid'" in refused.reason
    assert refused.line == 2


def test_file_without_a_statement_is_refused() -> None:
    assert refusal("<SIGNONMSGSRSV1></SIGNONMSGSRSV1>").reason == "the file holds no statement"
    with pytest.raises(ImportRefused, match="not an OFX file"):
        OfxImporter().read(io.BytesIO(b"Date,Amount\n"))


def investment(transactions: str) -> str:
    return f"<INVSTMTRS>{DEPOT}<INVTRANLIST>{transactions}</INVTRANLIST></INVSTMTRS>"


def test_every_investment_transaction_with_cash_is_an_entry() -> None:
    names = "BUYDEBT BUYMF BUYOPT BUYOTHER BUYSTOCK SELLDEBT SELLMF SELLOPT SELLOTHER SELLSTOCK"
    names += " INCOME INVEXPENSE MARGININTEREST RETOFCAP"
    rows = [
        f"<{name}><INVTRAN><FITID>{name}<DTTRADE>20240131</INVTRAN><TOTAL>-1.5</{name}>"
        for name in names.split()
    ]
    found = entries(investment("".join(rows)))
    assert [entry.source_id for entry in found] == [f"D/5/{name}" for name in names.split()]
    assert {entry.amount for entry in found} == {-15_000}


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
    assert read(f"<INVSTMTRS>{DEPOT}{balance}</INVSTMTRS>")[0].balance is None
