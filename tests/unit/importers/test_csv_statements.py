"""What becomes of the rows: accounts, currencies, signs, identities."""

import io

import pytest

from finance_api.importers.csv import CsvImporter, CsvOptions
from finance_api.importers.interface import ImportRefused
from finance_api.resources.common import PAYMENT_TYPES


def read(text, **options):
    return CsvImporter(CsvOptions(**options)).read(io.BytesIO(text.encode()))


def entries(text, **options):
    (statement,) = read(text, **({"account": "Main"} | options))
    return statement.entries


def refusal(text, **options):
    with pytest.raises(ImportRefused) as refused:
        read(text, **({"account": "Main"} | options))
    return refused.value


def test_accounts_come_in_the_order_of_their_first_rows():
    text = "date,amount,account\n2026-01-01,1,B\n2026-01-01,2, A \n2026-01-01,3,B\n"
    statements = read(text)
    assert [s.account.name for s in statements] == ["B", "A"]
    assert [[e.line for e in s.entries] for s in statements] == [[2, 4], [3]]


def test_row_without_an_account_is_refused():
    assert refusal("date,amount,account\n2026-01-01,1, \n", account=None).line == 2


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


def test_currency_comes_from_the_option_or_the_column():
    text = "date,amount,currencyCode\n2026-01-01,1,eur\n"
    assert read(text, account="Main")[0].account.currency == "EUR"
    assert read(text, account="Main", currency="EUR")[0].account.currency == "EUR"
    assert read("date,amount\n", account="Main")[0].account.currency is None


@pytest.mark.parametrize(
    "second, named", [("USD", "EUR in line 2"), ("", "empty"), ("EURO", "ISO 4217"), ("€", "ISO")]
)
def test_row_in_another_currency_than_its_account_is_refused(second, named):
    refused = refusal(f"date,amount,currency\n2026-01-01,1,EUR\n2026-01-01,1,{second}\n")
    assert refused.line == 3 and named in refused.reason


def test_accounts_may_differ_in_currency():
    text = "date,amount,account,currency\n2026-01-01,1,A,EUR\n2026-01-01,1,B,USD\n"
    assert [s.account.currency for s in read(text)] == ["EUR", "USD"]


def test_column_that_contradicts_the_currency_option_is_refused():
    text = "date,amount,currency\n2026-01-01,1,\n2026-01-01,1,USD\n"
    assert refusal(text, currency="EUR").line == 3


def test_amount_in_another_currency_than_its_account_is_refused():
    assert refusal("date,amount\n2026-01-01,5 €\n", currency="USD").line == 2
    assert refusal("date,amount\n2026-01-01,5 €\n2026-01-01,$5\n").line == 3
    assert entries("date,amount\n2026-01-01,5 €\n2026-01-01,EUR 5\n", currency="EUR")


@pytest.mark.parametrize(
    "debit, credit, amount",
    [
        ("5", "", -50_000),
        ("-5", "", -50_000),
        ("5", "0.00", -50_000),
        ("", "5", 50_000),
        ("0", "5", 50_000),
        ("", "-5", -50_000),
        ("0", "0", 0),
        ("0", "", 0),
        ("", "0", 0),
    ],
)
def test_debit_goes_out_and_credit_comes_in(debit, credit, amount):
    text = f"date,out,in\n2026-01-01,{debit},{credit}\n"
    (entry,) = entries(text, debit="out", credit="in")
    assert entry.amount == amount


@pytest.mark.parametrize("cells", ["1,2", ",", " ,\t"])
def test_row_with_both_or_neither_of_debit_and_credit_is_refused(cells):
    text = f"date,out,in,x\n2026-01-01,{cells},x\n"
    assert refusal(text, debit="out", credit="in").line == 2


def test_one_mark_decides_debit_and_credit_together():
    text = 'date;out;in\n2026-01-01;1.234;\n2026-01-01;;"5,10"\n'
    assert entries(text, debit="out", credit="in")[0].amount == -12_340_000


def test_invert_turns_the_sign():
    assert [
        e.amount for e in entries("date,amount\n2026-01-01,5\n2026-01-01,-6\n", invert=True)
    ] == [
        -50_000,
        60_000,
    ]


@pytest.mark.parametrize("row", [",1", "2026-01-01,", " ,1"])
def test_row_without_date_or_amount_is_refused(row):
    refused = refusal(f"date,amount,payee\n2026-01-01,1,\n{row},x\n")
    assert refused.line == 3 and "empty" in refused.reason


def test_labels_are_divided_by_semicolons():
    text = "date,amount,labels\n2026-01-01,1,a; b ;;a\n2026-01-01,1, ; \n"
    assert [e.labels for e in entries(text, delimiter=",")] == [("a", "b"), ()]


@pytest.mark.parametrize("name", PAYMENT_TYPES)
def test_payment_type_is_read_in_any_case(name):
    assert (
        entries(f"date,amount,paymentType\n2026-01-01,1, {name.upper()}\n")[0].payment_type == name
    )


def test_unknown_payment_type_is_refused_with_the_known_ones():
    refused = refusal("date,amount,paymentType\n2026-01-01,1,barter\n")
    assert refused.line == 2 and "cash, debit_card" in refused.reason


def test_text_is_trimmed_normalised_and_rid_of_control_characters():
    text = "date,amount,payee,note\n2026-01-01,1, Cafe\u0301\x07 \x08,\x01 \x02\n"
    (entry,) = entries(text)
    assert (entry.payee, entry.note) == ("Caf\u00e9", None)


# The rest: source ids.

FILE = "date,amount,payee,note\n2026-01-01,1,a,\n2026-01-01,1,a,\n2026-01-01,1,,a\n"


def ids(text, **options):
    return [entry.source_id for entry in entries(text, **options)]


def test_reading_twice_gives_the_same_ids():
    assert ids(FILE) == ids(FILE)
    assert len(set(ids(FILE))) == 3


def test_id_of_a_row_without_one_stays_what_it_has_always_been():
    # Stored ids are compared with those of the next import: never change this value.
    assert ids("date,amount,payee\n2026-01-01,-12.50,a\n", currency="EUR") == [
        "hash:8ca69d3dfc801618db7c133ad16c8667d29c5c441bd1f5b6abeb8dbddd10d5cb"
    ]


def test_appended_rows_change_no_earlier_id():
    assert ids(FILE + "2026-01-01,1,a,\n2026-01-02,2.5,b,\n")[:3] == ids(FILE)
    mapped = "id,date,amount\n1,2026-01-01,1\n1,2026-01-01,2\n1#2,2026-01-01,3\n"
    more = mapped + "1#2,2026-01-01,4\n1,2026-01-01,5\n"
    assert ids(more) == [*ids(mapped), "Main/1#2#3", "Main/1#3"]


def test_hash_depends_on_how_a_value_is_meant_not_written():
    other = "note;amount;payee;date\n;1,00;a;01.01.2026\n;1,00;a;01.01.2026\na;1,00;;01.01.2026\n"
    assert ids(other) == ids(FILE)


@pytest.mark.parametrize(
    "row", ["2026-01-02,1,a,", "2026-01-01,2,a,", "2026-01-01,1,b,", "2026-01-01,1,a,b"]
)
def test_hash_depends_on_each_value(row):
    assert not set(ids(f"date,amount,payee,note\n{row}\n")) & set(ids(FILE))


def test_hash_depends_on_account_and_currency():
    assert not set(ids(FILE)) & set(ids(FILE, account="Other"))
    assert not set(ids(FILE)) & set(ids(FILE, currency="EUR"))


def test_mapped_id_is_told_apart_by_account():
    text = "id,date,amount,account\n1,2026-01-01,1,A\n1,2026-01-01,1,B\n"
    assert [s.entries[0].source_id for s in read(text)] == ["A/1", "B/1"]


def test_ids_are_unique_even_where_account_and_id_run_together():
    text = "id,date,amount,account\nb/c,2026-01-01,1,a\nc,2026-01-01,1,a/b\n"
    assert [s.entries[0].source_id for s in read(text)] == ["a/b%2Fc", "a%2Fb/c"]


def test_identifier_that_looks_like_a_repetition_stays_unique():
    text = "id,date,amount\n1#2,2026-01-01,1\n1,2026-01-01,2\n1,2026-01-01,3\n"
    assert ids(text) == ["Main/1#2", "Main/1", "Main/1#3"]


def test_repetition_word_for_word_is_left_out_and_counted():
    text = "id,date,amount\n1,2026-01-01,1\n1,2026-01-01,1\n1,2026-01-01,1\n"
    (statement,) = read(text, account="Main")
    assert len(statement.entries) == 1
    assert statement.skipped == {"duplicate": 2}


def test_row_with_an_empty_id_goes_by_its_content():
    assert ids("id,date,amount,payee,note\n,2026-01-01,1,a,\n") == ids(FILE)[:1]
