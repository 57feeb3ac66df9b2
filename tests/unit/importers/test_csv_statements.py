"""How rows become entries: accounts, currencies, signs, identities."""

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.resources.common import PAYMENT_TYPES
from finance_api.values.time import instant_text
from support.csv_files import Always, answers
from support.csv_files import read as read_file


def read(text, **options):
    if not {"debit", "invert", "sign", "positive"} & set(options):
        options["positive"] = "in"
    return read_file(text, **({"no_text": True} | options))


def entries(text, **options):
    (statement,) = read(text, **({"account": "Main"} | options))
    return statement.entries


def refusal(text, **options):
    with pytest.raises(ImportRefused) as refused:
        read(text, **({"account": "Main"} | options))
    return refused.value


SIDES = {"debit": "out", "credit": "in"}


@pytest.mark.parametrize(
    "text, options, line, named",
    [
        ("date,amount,account\n2026-01-01,1, \n", {"account": None}, 2, "account is empty"),
        *(
            (f"date,amount,currency\n2026-01-01,1,EUR\n2026-01-01,1,{second}\n", {}, 3, named)
            for second, named in (("", "empty"), ("EUROPE", "ISO 4217"), ("$", "ISO"))
        ),
        ("date,amount,currency\n2026-01-01,1,\n2026-01-01,1,USD\n", {"currency": "EUR"}, 3, "USD"),
        *((f"date,out,in,x\n2026-01-01,{two},x\n", SIDES, 2, "") for two in ("1,2", ",", " ,\t")),
        *(
            (f"date,amount,payee\n2026-01-01,1,\n{row},x\n", {}, 3, "empty")
            for row in (",1", "2026-01-01,", " ,1")
        ),
        ("date,amount,paymentType\n2026-01-01,1,barter\n", {}, 2, "cash, debit_card"),
        ("date,amount\n2026-01-01,5 €\n", {"currency": "USD"}, 2, "EUR"),
        ("date,amount\n2026-01-01,£12.50\n", {"currency": "EUR"}, 2, "GBP"),
        ("date,amount\n2026-01-01,$5\n2026-01-01,5 kr\n", {}, 3, "kr"),
        (
            "date,amount\n9999-12-31T23:59:59Z,1\n",
            {"timezone": "Europe/Berlin"},
            2,
            "9999-12-31T23:59:59Z",
        ),
    ],
)
def test_a_row_that_lacks_or_contradicts_something_is_refused(text, options, line, named):
    refused = refusal(text, **options)
    assert refused.line == line and named in refused.reason


def test_accounts_come_in_the_order_of_their_first_rows():
    text = "date,amount,account\n2026-01-01,1,B\n2026-01-01,2, A \n2026-01-01,3,B\n"
    statements = read(text)
    assert [s.account.name for s in statements] == ["B", "A"]
    assert [[e.line for e in s.entries] for s in statements] == [[2, 4], [3]]


def test_account_of_the_option_renames_the_only_account_of_the_file():
    text = "date,amount,account\n2026-01-01,1,DE1\n2026-01-01,2,DE1\n"
    (statement,) = read(text, account="Giro")
    assert (statement.account.key, len(statement.entries)) == ("Giro", 2)


def test_account_of_the_option_never_merges_several_accounts():
    text = "date,amount,account\n2026-01-01,1,DE1\n2026-01-01,2,DE2\n"
    refused = refusal(text)
    assert refused.line == 3
    assert "--account" in refused.reason and "--map account=" in refused.reason
    assert len(entries(text, columns={"account": ""})) == 2


@pytest.mark.parametrize("written", ["€", "Euro", "eur", "EUR"])
def test_a_currency_may_be_written_as_a_symbol_or_a_name(written):
    text = f"date,amount,currency\n2026-01-01,1,{written}\n"
    assert read(text, account="Main")[0].account.currency == "EUR"
    assert read(text, account="Main", currency="Euro")[0].account.currency == "EUR"
    assert read("date,amount\n2026-01-01,1\n", account="Main", currency=written)
    original = "date,amount,originalAmount,originalCurrencyCode\n2026-01-01,1,2,"
    (entry,) = entries(original + written + "\n", currency="USD")
    assert entry.original_currency == "EUR"
    refused = refusal(original + "kr\n", currency="USD")
    assert refused.reason.startswith("the original currency 'kr' may be SEK, NOK, DKK or another")


def test_a_column_of_one_symbol_is_the_currency_under_any_heading():
    text = "date,amount,payee,X\n2026-01-01,1,A,{0}\n2026-01-02,1,B,{0}\n"
    columns = {"recordDate": "date"}
    for symbol in ("€", "US$"):
        (found,) = read(text.format(symbol), account="Main", columns=columns)
        assert found.account.currency == {"US$": "USD"}.get(symbol, "EUR")
    (found,) = read(text.format("all"), account="Main", columns=columns)
    assert found.account.currency is None


@pytest.mark.parametrize("word", ["R", "kr", "Ft"])
def test_a_word_that_is_also_a_sign_of_money_is_no_currency_without_a_heading_that_says_so(word):
    rows = f"2026-01-01,A,{word},1.50,\n2026-01-02,B,{word},,2.50\n"
    (found,) = read(f"Date,Payee,Clr,Withdrawal,Deposit\n{rows}", account="Main")
    assert found.account.currency is None
    (found,) = read(f"Date,Payee,Clr,Withdrawal,Deposit\n{rows}", account="Main", currency="AUD")
    assert found.account.currency == "AUD"


def test_a_code_that_may_be_a_word_is_the_currency_only_if_more_says_so():
    rows = "2026-01-01;A;{0};-1.50\n2026-01-02;B;{0};2.50\n"
    for code in ("ALL", "EUR"):
        refused = refusal("Date;Payee;Scope;Amount\n" + rows.format(code))
        assert answers(refused)[0] == "--map currency= --currency CODE"
        assert "--map currency=Scope" in answers(refused)[1]
        assert refused.reason.startswith(f"the column 'Scope' has '{code}'")
        for heading in (
            "Date;Payee;Scope;Amount (%s)",
            "Balance: %s 5.00\nDate;Payee;Scope;Amount",
        ):
            (found,) = read(f"{heading % code}\n{rows.format(code)}", account="Main")
            assert found.account.currency == code
        (found,) = read(f"Date;Payee;;Amount\n{rows.format(code)}", account="Main")
        assert found.account.currency == code


def test_currency_comes_from_the_option_or_the_column():
    text = "date,amount,currencyCode\n2026-01-01,1,eur\n"
    assert read(text, account="Main")[0].account.currency == "EUR"
    assert read(text, account="Main", currency="EUR")[0].account.currency == "EUR"
    assert read("date,amount\n", account="Main")[0].account.currency is None


SEVERAL = "date,amount,currency\n2026-01-01,1,EUR\n2026-01-01,2,USD\n2026-01-01,3,EUR\n"


def names(statements):
    return {s.account.name: (s.account.currency, len(s.entries)) for s in statements}


def test_a_file_of_several_currencies_is_an_account_for_each():
    expected = {"Main EUR": ("EUR", 2), "Main USD": ("USD", 1)}
    assert names(read(SEVERAL, account="Main")) == expected
    by_mark = "date,amount\n2026-01-01,1 €\n2026-01-01,USD 2\n2026-01-01,3€\n"
    assert names(read(by_mark, account="Main")) == expected
    assert refusal(by_mark + "2026-01-01,5\n").line == 3


def test_only_an_account_that_has_several_currencies_is_divided():
    text = "date,amount,account,currency\n2026-01-01,1,A,EUR\n2026-01-01,1,B,USD\n"
    text += "2026-01-01,1,B,SEK\n"
    assert list(names(read(text))) == ["A", "B USD", "B SEK"]
    # A control character is not part of a name.
    assert list(names(read(text.replace("B", "B\x02")))) == ["A", "B USD", "B SEK"]


def test_an_account_of_an_earlier_file_keeps_its_name():
    """Otherwise the first file with two currencies would duplicate the stored records."""
    earlier = {"account": "Main", "accountCurrency": "EUR"}
    found = read(SEVERAL, account="Main", saved=Always(earlier))
    assert list(names(found)) == ["Main", "Main USD"]
    (one,) = read(SEVERAL[: SEVERAL.index("2026-01-01,2")], account="Main")
    assert one.statement.options["accountCurrency"] == "EUR"


def test_a_part_of_an_earlier_file_stays_a_part():
    part = read(SEVERAL, account="Main")[1].statement.options
    assert part["account"] == "Main" and part["split"]
    text = "date,amount,currency\n2026-01-02,1,EUR\n"
    found = read(text, account="Main", saved=Always(part))
    assert list(names(found)) == ["Main EUR"]


def test_a_part_can_be_given_as_the_account():
    """Otherwise the part would be divided again, and its records duplicated."""
    part = read(SEVERAL, account="Main")[1].statement.options
    found = read(SEVERAL, account="Main USD", saved=Always(part))
    assert list(names(found)) == ["Main EUR", "Main USD"]
    assert found[1].statement.options == part
    own = read("date,amount,account,currency\n2026-01-02,1,Other,EUR\n", saved=Always(part))
    assert list(names(own)) == ["Other EUR"]


def test_a_symbol_is_the_currency_where_it_is_certain():
    assert entries("date,amount\n2026-01-01,5 €\n2026-01-01,EUR 5\n", currency="EUR")

    def account(amount):
        return read(f"date,amount\n2026-01-01,{amount}\n", account="Main")[0]

    assert account("£12.50").account.currency == "GBP"
    assert account("EUR 12.50").account.currency == "EUR"
    krona = account("12.50 kr")
    assert krona.account.currency is None
    assert krona.statement.currency_mark == "kr"
    assert krona.statement.possible_currencies[:3] == ("SEK", "NOK", "DKK")


def test_an_unmapped_column_of_codes_is_the_currency():
    text = "date,amount,CCY\n2026-01-01,5,EUR\n2026-01-01,6,EUR\n"
    assert read(text, account="Main")[0].account.currency == "EUR"
    refused = refusal(text, currency="USD")
    assert answers(refused) == ["--map currency=CCY ---currency", "--map currency="]
    several = read(text + "2026-01-01,-7,USD\n", account="Main")
    assert [found.account.name for found in several] == ["Main EUR", "Main USD"]
    assert entries(text, currency="USD", columns={"currency": ""})


@pytest.mark.parametrize(
    "debit, credit, amount",
    [
        ("5", "", -50_000),
        ("-5", "", -50_000),
        ("5", "0.00", -50_000),
        ("", "5", 50_000),
        ("0", "5", 50_000),
        ("", "-5", 50_000),
        ("0", "0", 0),
        ("0", "", 0),
        ("", "0", 0),
    ],
)
def test_numbers_of_one_sign_follow_their_column(debit, credit, amount):
    text = f"date,out,in\n2026-01-01,{debit},{credit}\n"
    (statement,) = read(text, account="Main", debit="out", credit="in")
    assert statement.entries[0].amount == amount
    assert any("only negative" in r for r in statement.statement.remarks) == ("-" in debit + credit)


def test_one_mark_decides_debit_and_credit_together():
    text = 'date;out;in\n2026-01-01;1.234;\n2026-01-01;;"5,10"\n'
    assert entries(text, debit="out", credit="in")[0].amount == -12_340_000


def test_labels_are_divided_by_semicolons_or_the_named_characters():
    text = "date,amount,labels\n2026-01-01,1,a; b ;;a\n2026-01-01,1, ; \n"
    assert [e.labels for e in entries(text, delimiter=",")] == [("a", "b"), ()]
    text = 'date;amount;labels\n2026-01-01;1;"a, b| c d"\n'
    assert entries(text, label_separator=",;| ")[0].labels == ("a", "b", "c", "d")
    assert entries(text, label_separator="|")[0].labels == ("a, b", "c d")


@pytest.mark.parametrize("name", PAYMENT_TYPES)
def test_payment_type_is_read_in_any_case(name):
    assert (
        entries(f"date,amount,paymentType\n2026-01-01,1, {name.upper()}\n")[0].payment_type == name
    )


def test_text_is_trimmed_normalised_and_rid_of_control_characters():
    text = "date,amount,payee,note\n2026-01-01,1, Cafe\u0301\x07 \x08,\x01 \x02\n"
    (entry,) = entries(text)
    assert (entry.payee, entry.note) == ("Caf\u00e9", None)


def test_several_columns_make_one_text():
    text = "date,amount,a,b,c\n2026-01-01,1,x, ,z\n2026-01-01,1,x,y,\n"
    found = entries(text, columns={"note": ("a", "b", "c")})
    assert [entry.note for entry in found] == ["x z", "x y"]
    assert "twice" in refusal(text, columns={"amount": ("a", "b")}).reason


def test_a_day_and_a_time_of_two_columns_are_one_date():
    text = "date,amount,time\n2026-01-31,1,23:59:58\n2026-01-31,1,\n"
    found = entries(text, columns={"date": ("date", "time")})
    assert [instant_text(entry.date) for entry in found] == [
        "2026-01-31T23:59:58Z",
        "2026-01-31T00:00:00Z",
    ]


@pytest.mark.parametrize(
    "written, zone, stored",
    [
        ("2026-03-04T23:20:11.000Z", None, "2026-03-04T23:20:11Z"),
        ("2026-03-04T23:20:11.000Z", "Europe/Berlin", "2026-03-05T00:20:11Z"),
        ("2026-07-04 23:20:11", "Europe/Berlin", "2026-07-05T01:20:11Z"),
        ("2026-03-04T23:20:11+02:00", "America/New_York", "2026-03-04T16:20:11Z"),
        ("2026-03-04T23:20:11+02:00", None, "2026-03-04T23:20:11Z"),
        ("04/13/2026 11:20 PM", None, "2026-04-13T23:20:00Z"),
        ("04/13/2026 12:20 AM", None, "2026-04-13T00:20:00Z"),
    ],
)
def test_the_time_of_day_is_kept_and_moved_only_where_asked(written, zone, stored):
    (entry,) = entries(f"date,amount\n{written},1\n", timezone=zone)
    assert instant_text(entry.date) == stored


def test_a_time_zone_needs_times():
    text = "date,amount\n2026-03-04,1\n"
    assert refusal(text, timezone="Europe/Berlin").line == 2
    for zone in ("Nowhere/Land", "", "../x", "Europe", "\x00"):
        assert "--timezone" in refusal(text, timezone=zone).reason


def test_further_fields_are_read():
    text = (
        "date;amount;valueDate;counterpartyAccount;reference;originalAmount;originalCurrencyCode\n"
        "2026-01-31;-9,50;2026-02-01;DE02 1203 0000 0000 2020 51;E2E-1;-10,00;usd\n"
        "2026-01-31;-9,50;;;;;\n"
    )
    first, second = entries(text)
    assert instant_text(first.value_date) == "2026-02-01T00:00:00Z"
    assert first.counterparty_account == "DE02120300000000202051"
    assert first.reference == "E2E-1"
    assert (first.original_amount, first.original_currency) == (-100_000, "USD")
    assert second.value_date is second.reference is second.original_amount is None


@pytest.mark.parametrize(
    ("row", "form", "day"),
    [
        ("2026-01-31;1;31.01.2026", None, "2026-01-31"),
        ("01/02/2026;-1;01/02/2026", "%d/%m/%Y", "2026-02-01"),
        ("18:20, 01/02/2026;-1;18:20, 01/02/2026", "%H:%M, %d/%m/%Y", "2026-02-01"),
        ("13/01/2026;1;01/02/2026", None, "2026-02-01"),
    ],
)
def test_the_value_date_has_a_form_of_its_own_or_that_of_the_booking_date(row, form, day):
    (entry,) = entries(f"date;amount;valueDate\n{row}\n", date_format=form)
    assert instant_text(entry.value_date) == f"{day}T00:00:00Z"


def test_the_account_number_makes_the_account_or_belongs_to_it():
    text = "date,amount,IBAN\n2026-01-01,1,DE02 1203\n2026-01-01,1,DE021203\n"
    columns = {"accountNumber": "IBAN"}
    (statement,) = read(text, columns=columns)
    assert (statement.account.key, statement.account.number) == ("DE021203", "DE021203")
    (statement,) = read(text, columns=columns, account="Main")
    assert (statement.account.key, statement.account.number) == ("Main", "DE021203")
    assert refusal(text + "2026-01-01,1,DE99\n", columns=columns).line == 4


def test_a_fee_is_a_record_of_its_own():
    text = "id,date,amount,payee,Fee\n7,2026-01-01,-5,x,0.25\n8,2026-01-01,-6,y,0\n"
    found = entries(text, fee=["Fee=unsigned"])
    assert [(e.bank_id, e.amount, e.category, e.payee) for e in found] == [
        ("7", -50_000, None, "x"),
        ("7/fee", -2_500, "Bank fees", "x"),
        ("8", -60_000, None, "y"),
    ]
    assert entries(text, fee=["fee=signed"], fee_category="Costs")[1].amount == 2_500
    assert entries(text, fee=["fee=signed"], fee_category="Costs")[1].category == "Costs"
    assert entries(text.replace("id,", "x,"), fee=["Fee=unsigned"])[1].bank_id is None
    assert refusal(text.replace("0.25", "-0.25"), fee=["Fee=unsigned"]).line == 2
    assert answers(refusal(text, fee=["Fee"], currency="EUR")) == [
        "--fee Fee=unsigned", "--fee Fee=signed",
    ]  # fmt: skip
    assert "--fee" in refusal(text, fee=["Fee=some"]).reason
    assert "--fee-category" in refusal(text, fee_category="Costs").reason


def test_the_id_is_the_banks_and_the_fingerprint_is_of_all_cells():
    text = (
        "id,date,amount,x\n1,2026-01-01,1,a\n1,2026-01-01,1,b\n1,2026-01-01,1,a\n,2026-01-01,1,c\n"
    )
    found = entries(text)
    assert [entry.bank_id for entry in found] == ["1", "1", "1", None]
    prints = [entry.fingerprint for entry in found]
    assert prints[0] == prints[2] != prints[1] and prints[3] == ""


def test_how_texts_were_made_is_reported():
    text = "date,amount,a,b\n2026-01-01,-1,x,y\n"

    def texts(**columns):
        return read(text, account="Main", columns=columns)[0].statement.texts

    assert texts(note="a") == texts(note="a", category="b") != texts(note="b")
    assert len({texts(), texts(note="a"), texts(payee="a"), texts(note=("a", "b"))}) == 4
