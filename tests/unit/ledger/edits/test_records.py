"""Records edited in a CSV file and imported again: only the differences are stored."""

import csv
import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.edits.records import remove_records
from finance_api.resources import CATEGORIES, RECORDS
from finance_api.values.time import date_text
from support.edits import downloaded, edited, given_back
from support.ledger import Person, account, an_id, document, record
from support.nightly import count

BASE = [
    account(name="Checking", initialBalance=10),
    account(2, name="Other"),
    document("Category", 11, name="Groceries"),
    document("Category", 12, name="=Rent"),
    document("Category", 13, name="Twice"),
    document("Category", 14, name="Twice", parentId=an_id(11)),
    document("Label", 21, name="home"),
    document("Label", 22, name="-week"),
    document("Label", 23, name="a;b"),
]
HOSTILE = [
    *("=1+1", "a;=b", "\tx", "a\n=b", ' "=c"', "'=d", "Bäckerei", "„Łódź“", "x,y", 'say "hi"'),
    "+49 1",
]
ROWS = [
    record(
        100 + n,
        payee=text,
        note=HOSTILE[-1 - n],
        categoryId=an_id(11 + n % 3),
        labelIds=[an_id(21), an_id(22)][n % 3 :],
        recordState=("cleared", "void", None)[n % 3],
    )
    for n, text in enumerate(HOSTILE)
]


@pytest.fixture
def books(person):
    person.native(*BASE, *ROWS)
    return person


def refused(person, data):
    before = person.snapshot()
    with pytest.raises(ChangeRefused) as caught:
        given_back(person, data)
    assert person.snapshot() == before
    return str(caught.value)


def respelt(text, *, delimiter=",", quoting=csv.QUOTE_MINIMAL, line_end="\r\n", edit=None):
    """Return the CSV as another program writes it. edit: changes each row, a dict by column."""
    rows = list(csv.reader(io.StringIO(text, newline="")))
    if edit is not None:
        names = rows[0]
        rows[1:] = [list(edit(dict(zip(names, row, strict=True))).values()) for row in rows[1:]]
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator=line_end).writerows(rows)
    return out.getvalue()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_download_given_back_changes_nothing(books, delimiter, quoting, encoding):
    before, count = books.snapshot(), len(books.history())
    text = respelt(downloaded(books), delimiter=delimiter, quoting=quoting, line_end="\n")
    report = given_back(books, text.encode(encoding))
    assert (report.updated, report.changes) == (0, [])
    assert books.snapshot() == before
    assert len(books.history()) == count


def test_download_as_it_is_and_with_the_line_of_excel_changes_nothing(books):
    text = downloaded(books)
    assert given_back(books, text).updated == 0
    assert given_back(books, "sep=;\r\n" + respelt(text, delimiter=";")).updated == 0


def test_cells_without_the_apostrophe_are_unchanged(books):
    def plain(row):
        return {**row, "payee": row["payee"].replace("'=", "=") if row["payee"] != "'=d" else "'=d"}

    assert given_back(books, respelt(downloaded(books), edit=plain)).updated == 0


def test_changed_cells_are_set_by_hand_and_no_others(books):
    def one(row):
        if row["id"] == an_id(100):
            row |= {"payee": "'=2+2", "labels": "home; '-week", "category": "groceries"}
            row |= {"amount": "5", "recordDate": "01.02.2026"}
        return row

    before = {row["id"]: row for row in books.rows(RECORDS)}
    report = given_back(books, respelt(downloaded(books), edit=one))
    after = {row["id"]: row for row in books.rows(RECORDS)}
    changed = after.pop(an_id(100))
    first = before.pop(an_id(100))
    assert after == before
    assert changed["payee"] == "=2+2"
    assert changed["setByHand"] == ("payee",)
    assert changed == {
        **first,
        "payee": "=2+2",
        "setByHand": ("payee",),
        "updatedAt": changed["updatedAt"],
    }
    assert [(c.field, c.old, c.new) for c in report.changes] == [("payee", "=1+1", "=2+2")]
    assert report.remarks[0].startswith("not edited: accountId, accountName, amount, currencyCode")


def test_every_column_can_be_changed_and_emptied(books):
    given_back(
        books,
        "id,category,labels,payee,note,recordState\n"
        f"{an_id(100)},=Rent,home;-week,A,B,void\n"
        f"{an_id(101)},'=Rent,,,,\n",
    )
    one, two = books.row(RECORDS, 100), books.row(RECORDS, 101)
    assert (one["category"], one["labels"]) == ("=Rent", ("home", "-week"))
    assert (one["payee"], one["note"], one["recordState"]) == ("A", "B", "void")
    # Only changes count: the first record had these labels before, the second one this category.
    assert one["setByHand"] == ("categoryId", "note", "payee", "recordState")
    assert (two["payee"], two["note"], two["labels"], two["recordState"]) == (None, None, (), None)
    assert two["category"] == "=Rent"
    assert two["setByHand"] == ("labelIds", "note", "payee", "recordState")


def test_balance_follows_the_state_exactly(books):
    assert books.balance() == "-0.5"
    given_back(
        books, f"id,recordState\n{an_id(100)},void\n{an_id(101)},cleared\n{an_id(103)},void\n"
    )
    assert books.balance() == "1"
    edited(books, remove_records, [an_id(100), an_id(101).upper()])
    assert books.balance() == "2.5"


def test_all_unknown_names_are_listed(books):
    made = date_text(books.row(CATEGORIES, 13)["createdAt"])
    said = refused(
        books,
        f"id,category,labels\n{an_id(100)},Grocery,home;hme\n{an_id(101)},Twice,x\n"
        f"{an_id(102)},Grocery,home\n",
    )
    assert said == (
        "there is no category Grocery; did you mean Groceries?; "
        "there is no label hme; did you mean home?; "
        "2 of the categories are called Twice: give one of the ids "
        f"{an_id(13)} (of {made}), {an_id(14)} (in Groceries); "
        "there is no label x"
    )


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "no column id"),
        (b"name,payee\na,b\n", "no column id"),
        (b"id,amount\n", "has none of the columns that can be edited: category, labels"),
        (b"id,payee,payee\n", "line 1: the column payee appears twice"),
        ("id,payee\n1,Bäcker\n".encode("cp1252"), "is not UTF-8"),
        ("id,Bäcker\n1,x\n".encode("cp1252"), "is not UTF-8"),
        (f"id,payee\n{an_id(999)},x\nnonsense,y\n,z\n", "no record has the id 000003e7"),
        (f"id,payee\n{an_id(999)},x\nnonsense,y\n,z\n", "nonsense in line 3, none in line 4"),
        (f"id,payee\n{an_id(100)},x\n{an_id(100).upper()},x\n", "line 3: the record"),
        (f"id,payee\n{an_id(100)},x,y\n", "line 2: the row has 3 cells and the first row has 2"),
        (f'id,payee\n{an_id(100)},"x\n', "line 2: the row cannot be divided into cells"),
        (f"id,payee\n{an_id(100)}\n", "line 2: the row has no cell for payee, which is =1+1"),
        (f"id,recordState\n{an_id(100)},gone\n", "line 2: recordState is not one of"),
        (
            f"id,payee\n{an_id(106)},B?ckerei\n",
            "were turned into question marks: save the file as CSV",
        ),
        (f"id,payee\n{an_id(100)},a\x00b\n", "line 2: a cell contains a NUL character"),
    ],
)
def test_what_is_wrong_is_refused_and_nothing_is_changed(books, data, said):
    assert said in refused(books, data)


def test_label_with_a_semicolon_is_not_taken_apart(books):
    books.native(record(200, labelIds=[an_id(23)]))
    assert given_back(books, f"id,labels\n{an_id(200)},a;b\n").updated == 0
    assert "a label with a semicolon" in refused(books, f"id,labels\n{an_id(200)},home\n")


def test_cells_that_a_spreadsheet_leaves_out_at_the_end_are_empty(books):
    books.native(record(200))
    assert given_back(books, f"id,payee,labels\n{an_id(200)},x\n").updated == 1
    assert books.row(RECORDS, 200)["setByHand"] == ("payee",)


def test_dry_run_keeps_nothing(books):
    report = given_back(books, f"id,payee\n{an_id(100)},x\n", dry_run=True)
    assert report.updated == 1


def test_removing_is_all_or_nothing(books):
    before = books.snapshot()
    with pytest.raises(ChangeRefused, match=f"no record has the id {an_id(999)}, x$"):
        edited(books, remove_records, [an_id(100), an_id(999), "x"])
    assert books.snapshot() == before


def test_other_side_of_a_removed_transfer_is_linked_no_more(books):
    books.native(
        record(200, transferId=an_id(9)), record(201, accountId=an_id(2), transferId=an_id(9))
    )
    report = edited(books, remove_records, [an_id(200)])
    assert (report.removed, report.updated) == (1, 1)
    left = books.row(RECORDS, 201)
    assert (left["transferId"], left["setByHand"]) == (None, ())


@settings(max_examples=count(10, 200), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_exactly_the_edited_cells_are_changed(backends, data):
    person = Person(backends("sqlite"))
    person.native(*BASE)
    text = st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=8
    ) | st.sampled_from(HOSTILE)
    rows = data.draw(st.lists(st.tuples(text, text), min_size=1, max_size=6))
    person.native(*(record(100 + n, payee=p, note=q) for n, (p, q) in enumerate(rows)))
    edits = data.draw(
        st.dictionaries(
            st.tuples(st.integers(0, len(rows) - 1), st.sampled_from(["payee", "note"])),
            st.sampled_from(["New", "x; y", "Größe", "a=b"]),
            max_size=3,
        )
    )

    def edit(row):
        number = int(row["id"][:8], 16) - 100
        return row | {column: new for (n, column), new in edits.items() if n == number}

    before = {row["id"]: row for row in person.rows(RECORDS)}
    given_back(person, respelt(downloaded(person), edit=edit))
    for row_id, row in before.items():
        mine = {c: new for (n, c), new in edits.items() if an_id(100 + n) == row_id}
        mine = {column: new for column, new in mine.items() if row[column] != new}
        after = person.row(RECORDS, row_id)
        expected = {**row, **mine, "setByHand": tuple(sorted(mine))}
        assert after == {**expected, "updatedAt": after["updatedAt"]}
