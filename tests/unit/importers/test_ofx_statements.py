"""OFX statements: accounts, transactions, balances and identities."""

import pytest

from finance_api.cli.import_texts import text as text_of
from finance_api.importers.interface import Choice, Correction, ImportRefused
from finance_api.importers.options import ImportOptions, changed
from finance_api.values.time import date_text, instant_text, parse_date
from support.csv_files import answers
from support.ofx import ACCOUNT, CARD, entries, read, read_ofx, refusal, statement, transaction


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
    assert answers(refused) == ["--positive in ---sign", "--positive out ---sign"]
    for positive, way in (("in", 1), ("out", -1)):
        (found,) = read_ofx(f"<OFX>{text}</OFX>", positive=positive)
        amounts = [entry.amount for entry in found.entries]
        assert amounts == [125_000 * way, -1_000_000 * way, 30_000 * way]


def test_type_is_the_sign_where_no_amount_has_a_minus() -> None:
    typed = [
        transaction(amount=amount, fields=f"<TRNTYPE>{kind}")
        for kind, amount in (("DEBIT", "12"), ("CREDIT", "5"), ("POS", "3"), ("DIRECTDEP", "9"))
    ]
    found = entries(statement(*typed))
    assert [entry.amount for entry in found] == [-120_000, 50_000, -30_000, 90_000]
    # A type that says nothing would have to be guessed.
    other = transaction(amount="7", fields="<TRNTYPE>XFER")
    assert "'XFER', which does not say" in refusal(statement(*typed, other)).reason
    # What the user says counts.
    (found_in,) = read_ofx(f"<OFX>{statement(*typed)}</OFX>", positive="in")
    assert found_in.entries[0].amount == 120_000


def test_debits_where_no_amount_has_a_minus_are_refused() -> None:
    debit = transaction(amount="12", fields="<TRNTYPE>DEBIT")
    assert "DEBIT" in refusal(statement(debit)).reason
    assert len(entries(statement(debit, transaction(amount="-5")))) == 2
    # Each statement is checked separately.
    assert refusal(statement(transaction(amount="-5")) + statement(debit)).line == 2


def typed(*rows: tuple[str, str]) -> str:
    return statement(*(transaction(amount=a, fields=f"<TRNTYPE>{kind}") for kind, a in rows))


def offered(refused: ImportRefused) -> tuple[Choice, ...]:
    (question,) = refused.questions
    return question.choices


def amounts_said(text: str, changes: ImportOptions) -> list[int]:
    (found,) = read_ofx(f"<OFX>{text}</OFX>", **changed({}, changes))
    return [entry.amount // 10_000 for entry in found.entries]


def test_a_type_without_a_direction_is_asked_about_with_each_way() -> None:
    text = typed(("DEBIT", "12"), ("XFER", "7"))
    choices = offered(refusal(text))
    assert {text_of(each.meaning): amounts_said(text, each.changes) for each in choices} == {
        "the amount of line 1 comes in": [12, 7],
        "XFER goes out": [-12, -7],
        "XFER comes in": [-12, 7],
    }
    text = typed(("DEBIT", "12"), ("CREDIT", "5"), ("XFER", "7"))
    choices = offered(refusal(text))
    assert {each.changes["sign"]: amounts_said(text, each.changes) for each in choices} == {
        "TRNTYPE=XFER": [-12, 5, -7],
        "TRNTYPE=|XFER": [-12, 5, 7],
    }


def test_several_types_without_a_direction_are_asked_about_together() -> None:
    text = typed(("DEBIT", "12"), ("XFER", "7"), ("CREDIT", "1"), ("", "3"))
    assert [(each.changes["sign"], text_of(each.meaning)) for each in offered(refusal(text))] == [
        ("TRNTYPE=NONE,XFER", "NONE goes out, XFER goes out"),
        ("TRNTYPE=NONE|XFER", "NONE goes out, XFER comes in"),
        ("TRNTYPE=XFER|NONE", "NONE comes in, XFER goes out"),
        ("TRNTYPE=|NONE,XFER", "NONE comes in, XFER comes in"),
    ]
    assert amounts_said(text, {"sign": "TRNTYPE=xfer|None"}) == [-12, -7, 1, 3]
    many = [(kind, "1") for kind in ("DEBIT", "A", "B", "C", "D")]
    assert not offered(refusal(typed(*many)))


def test_another_statement_of_the_file_is_asked_about_with_what_was_said() -> None:
    text = typed(("DEBIT", "12"), ("XFER", "7")) + typed(("DEBIT", "1"), ("OTHER", "2"))
    with pytest.raises(ImportRefused) as error:
        read_ofx(f"<OFX>{text}</OFX>", sign="TRNTYPE=|XFER")
    assert {"sign": "TRNTYPE=|OTHER,XFER"} in [each.changes for each in offered(error.value)]


def test_a_statement_with_a_minus_keeps_its_signs_whatever_is_said_of_types() -> None:
    assert amounts_said(typed(("DEBIT", "-12"), ("XFER", "7")), {"sign": "TRNTYPE=XFER"}) == [
        *(-12, 7)
    ]


@pytest.mark.parametrize("sign", ["XFER", "TRNTYPE=", "TYPE=XFER", "TRNTYPE"])
def test_sign_has_the_form_that_is_offered(sign: str) -> None:
    with pytest.raises(ImportRefused, match="write --sign as"):
        read_ofx("", sign=sign)
    with pytest.raises(ImportRefused, match="exclude each other"):
        read_ofx("", sign="TRNTYPE=XFER", positive="in")


TO = "<BANKACCTTO><BANKID>X<ACCTID>DE02 1203 0000 0000 2020 51</BANKACCTTO>"
SHOP = {"payee": "Shop", "note": None}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("<NAME>  Shop  <MEMO> weekly ", {"payee": "Shop", "note": "weekly"}),
        ("<MEMO>only a memo", {"payee": None, "note": "only a memo"}),
        ("<PAYEE><NAME>Shop<CITY>Berlin</PAYEE>", SHOP),
        ("<PAYEE>Shop", SHOP),
        ("<NAME>Shop<PAYEE><NAME>Other</PAYEE>", SHOP),
        # Ids are kept as written, except placeholders.
        *((f"<FITID>{fitid}", {"bank_id": fitid}) for fitid in ("2024/7", "x#2", "00x", "0.0")),
        *((f"<FITID>{none}", {"bank_id": None}) for none in ("", "0", "0000000", " 00 ")),
        ("<CHECKNUM>1005", {"reference": "1005"}),
        ("<REFNUM>R 7", {"reference": "R 7"}),
        ("<REFNUM>R7<CHECKNUM>1005", {"reference": "1005"}),
        ("<CHECKNUM>0000<REFNUM>R7", {"reference": "R7"}),
        ("<CHECKNUM><REFNUM>0", {"reference": None}),
        (TO, {"counterparty_account": "DE02120300000000202051"}),
        ("<CCACCTTO><ACCTID>4111</CCACCTTO>", {"counterparty_account": "4111"}),
        ("<BANKACCTTO><BANKID>X</BANKACCTTO>", {"counterparty_account": None}),
        ("<ACCTID>7", {"counterparty_account": None}),
        # The value date is the day on which the money is available.
        ("<DTAVAIL>20240202120000", {"value_date": parse_date("2024-02-02")}),
        ("<DTUSER>20240202", {"value_date": None}),
        ("<DTAVAIL>", {"value_date": None}),
        ("<DTAVAIL>00000000", {"value_date": None}),
        ("<CORRECTFITID>w<CORRECTACTION>REPLACE", {"correction": Correction("w")}),
        ("<CORRECTFITID>w<CORRECTACTION>delete", {"correction": Correction("w", deletes=True)}),
        ("<CORRECTFITID>0<CORRECTACTION>REPLACE", {"correction": None}),
        ("<CORRECTFITID><CORRECTACTION>", {"correction": None}),
        # -1 at 1.1 may have been several amounts; some banks write the inverse rate.
        (
            "<ORIGCURRENCY><CURRATE>1.1<CURSYM>USD</ORIGCURRENCY>",
            {"amount": -10_000, "original_amount": None, "original_currency": None},
        ),
        ("<CURRENCY><CURRATE>1<CURSYM>EUR</CURRENCY>", {"amount": -10_000}),
        ("<CURRENCY></CURRENCY>", {"amount": -10_000}),
        ("<CURRENCY>EUR", {"amount": -10_000}),
    ],
)
def test_fields_of_a_transaction(fields: str, expected: dict[str, object]) -> None:
    (found,) = read(statement(transaction(fields=fields)))
    (entry,) = found.entries
    assert {name: getattr(entry, name) for name in expected} == expected
    assert (found.account.number, found.statement.remarks) == ("1", [])


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (transaction("x", date=""), "<STMTTRN> has no <DTPOSTED>"),
        (transaction("x", amount=""), "<STMTTRN> has no <TRNAMT>"),
        (transaction("x", date="20240231"), "<DTPOSTED> '20240231' is not a day of the calendar"),
        (transaction("x", amount="1,234"), "<TRNAMT> '1,234' is ambiguous"),
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


@pytest.mark.parametrize("action", ["<CORRECTACTION>REPLACE", "<CORRECTACTION>DELETE", ""])
def test_correction_of_itself_is_an_entry_like_any_other(action: str) -> None:
    rows = [transaction("x", fields=f"<CORRECTFITID>x{action}"), transaction("y")] * 2
    (found,) = read(statement(*rows))
    assert [entry.correction for entry in found.entries] == [None] * 4
    assert found.statement.remarks == [
        "transactions that claim to correct themselves are imported unchanged"
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
    assert "not inside a statement" in refusal(statement() + transaction("x")).reason


@pytest.mark.parametrize(("first", "second"), [("CHECKING", "SAVINGS"), ("SAVINGS", "CD")])
def test_two_kinds_of_account_under_one_number_are_refused(first: str, second: str) -> None:
    bodies = [statement(account=ACCOUNT.replace("CHECKING", kind)) for kind in (first, second)]
    refused = refusal("\n".join(bodies))
    assert "has the same number for" in refused.reason
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
        "the file contains no statement: "
    )
    with pytest.raises(ImportRefused, match="not an OFX file"):
        read_ofx(b"Date,Amount\n")


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


def test_several_types_of_money_that_goes_out_without_a_minus_are_asked_about() -> None:
    refused = refusal(typed(("POS", "12"), ("DIRECTDEP", "900"), ("CHECK", "30")))
    assert "is a CHECK, but no amount of the statement has a minus sign" in refused.reason
    text = typed(("POS", "12"), ("DIRECTDEP", "900"), ("ATM", "30"))
    choices = offered(refusal(text))
    assert {each.changes["sign"]: amounts_said(text, each.changes) for each in choices} == {
        "TRNTYPE=ATM": [-12, 900, -30],
        "TRNTYPE=|ATM": [-12, 900, 30],
    }
    # A refund, or payments to a card, come in.
    for rows in ([("POS", "5")], [("PAYMENT", "100"), ("CREDIT", "5")]):
        assert len(entries(typed(*rows))) == len(rows)


@pytest.mark.parametrize("tag", ["NAME", "MEMO"])
@pytest.mark.parametrize("text", ["SALDO ANTERIOR", "Saldo do dia", "S A L D O", "Opening balance"])
def test_rows_that_state_a_balance_are_skipped(text: str, tag: str) -> None:
    (found,) = read(statement(transaction("a"), transaction("b", "987", fields=f"<{tag}>{text}")))
    assert [entry.bank_id for entry in found.entries] == ["a"]
    assert found.statement.skipped == {"balance": 1}


@pytest.mark.parametrize("text", ["TOTAL", "BF", "Total Energies", "Balance", "Saldo Bau GmbH"])
def test_shops_with_the_name_of_a_total_are_shops(text: str) -> None:
    assert len(entries(statement(transaction("b", "-9", fields=f"<NAME>{text}")))) == 1


def test_a_row_called_total_with_the_amount_of_the_stated_balance_is_that_balance() -> None:
    balance = "<LEDGERBAL><BALAMT>987<DTASOF>20260131</LEDGERBAL>"
    for amount, skipped in (("987", 1), ("98.7", 0)):
        row = transaction("b", amount, fields="<NAME>SALDO")
        (found,) = read(
            statement(transaction("a"), row).replace("</STMTRS>", f"{balance}</STMTRS>")
        )
        assert found.statement.skipped["balance"] == skipped
        assert len(found.entries) == 2 - skipped


def test_a_card_with_a_minus_only_beside_payments_is_asked_about() -> None:
    rows = [
        transaction("a", "12.50", fields="<TRNTYPE>OTHER<NAME>Hill Grocers"),
        transaction("b", "-12.50", fields="<TRNTYPE>OTHER<NAME>PAYMENT THANK YOU"),
    ]
    text = statement(*rows, account=CARD).replace("STMTRS", "CCSTMTRS")
    refused = refusal(text)
    assert [each.changes for each in offered(refused)] == [{"positive": "out"}, {"positive": "in"}]
    (found,) = read_ofx(f"<OFX>{text}</OFX>", positive="out")
    assert [entry.amount for entry in found.entries] == [-125_000, 125_000]
    assert len(entries(statement(*rows))) == 2


def test_purchases_with_a_minus_and_payments_to_a_card_are_not_asked_about() -> None:
    paid = transaction("a", "100", fields="<TRNTYPE>PAYMENT<NAME>ACH 4711")
    spent = transaction("b", "-12.50", fields="<TRNTYPE>OTHER<NAME>Hill Grocers")
    returned = transaction("c", "5", fields="<TRNTYPE>CREDIT<NAME>Hill Grocers")
    for rows in ([paid], [paid, returned], [paid, spent, returned], [spent]):
        text = statement(*rows, account=CARD).replace("STMTRS", "CCSTMTRS")
        assert len(entries(text)) == len(rows)


def balances(*found: tuple[str, str]) -> str:
    texts = (f"<LEDGERBAL><BALAMT>{a}<DTASOF>{day}</LEDGERBAL>" for a, day in found)
    return statement(transaction("x")).replace("</STMTRS>", f"{''.join(texts)}</STMTRS>")


@pytest.mark.parametrize("order", [1, -1])
def test_newest_of_several_balances_counts_and_the_others_are_named(order: int) -> None:
    (found,) = read(balances(*[("10", "20260131"), ("25", "20260228")][::order]))
    assert found.statement.closing is not None
    assert (found.statement.closing.amount, date_text(found.statement.closing.date)) == (
        250_000,
        "2026-02-28",
    )
    assert found.statement.remarks == ["the balance 10 of 2026-01-31 is not used"]


def test_balance_that_is_stated_twice_is_one() -> None:
    (found,) = read(balances(("10", "20260131"), ("10.00", "20260131")))
    assert found.statement.closing is not None and found.statement.closing.amount == 100_000
    assert not found.statement.remarks


def test_two_balances_of_one_day_are_refused_with_both_numbers() -> None:
    words = str(refusal(balances(("10", "20260131"), ("25", "20260131"))))
    assert "two balances of one day, 10 and 25: download it again" in words


def test_the_former_code_of_the_rouble_means_the_rouble() -> None:
    (found,) = read(statement().replace("EUR", "RUR"))
    assert found.account.currency == "RUB"
