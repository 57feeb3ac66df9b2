"""Several payees get one name: in stored records, and by a rule in later ones."""

from collections import Counter

import pytest

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.edits.objects import set_object
from finance_api.ledger.edits.payees import merge_payees
from finance_api.ledger.edits.records import add_record, change_records
from finance_api.ledger.edits.rules import add_rule, apply_rules
from finance_api.ledger.edits.splits import Part, join_parts, split_record
from finance_api.resources import ACCOUNTS, RECORD_RULES, RECORDS, STANDING_ORDERS
from finance_api.storage.interface import Question
from finance_api.values.ids import new_id
from support.edits import edited
from support.ledger import account, document
from support.statements import Bank, day, entry

FORMATS = ("csv", "ofx", "camt.053", "mt940", "qif")


def payees(person):
    """Count the records by their payee and original payee."""
    return Counter((row["payee"], row["originalPayee"]) for row in person.rows(RECORDS))


def merge(person, *names, into, **options):
    person.clock.advance(1)
    return edited(person, merge_payees, names, into, **options)


def rules(person):
    return [(row["keywords"], row["payee"]) for row in person.rows(RECORD_RULES)]


@pytest.mark.parametrize("source", FORMATS)
def test_files_keep_the_name_and_add_nothing_twice(person, source):
    bank = Bank(person, source)
    rows = [entry("1", "-5", "AMZN"), entry("1", "-5", "AMZN"), entry("2", "-5", "Amazon EU")]
    bank.file(*rows, entry("2", "-5", "Shop"))
    merge(person, "AMZN", "Amazon EU", into="Amazon")
    expected = {("Amazon", "AMZN"): 2, ("Amazon", "Amazon EU"): 1, ("Shop", None): 1}
    assert payees(person) == expected
    assert rules(person) == [(("AMZN", "Amazon EU"), "Amazon")]
    before = person.snapshot()
    assert bank.file(*rows, entry("2", "-5", "Shop")).created == 0
    assert person.snapshot() == before
    # The next file: the name stays, and nothing but the whole payee is renamed.
    assert bank.file(*rows[2:], entry("2", "-5", "Shop"), entry("9", "-1", "amzn")).created == 1
    assert bank.file(entry("10", "-1", "AMZN Shop")).created == 1
    assert payees(person) == expected | {("Amazon", "amzn"): 1, ("AMZN Shop", None): 1}
    assert edited(person, apply_rules).updated == 0


def test_one_payee_into_another_and_back(person):
    bank = Bank(person)
    bank.file(entry("1", "-5", "A"), entry("2", "-5", "B"))
    merge(person, "A", into="B")
    assert payees(person) == {("B", "A"): 1, ("B", None): 1}
    report = merge(person, "B", into=" A ")
    # The one rule gets another payee and another keyword.
    assert report.summary.counts == {"records": {"updated": 2}, "recordRules": {"updated": 1}}
    assert payees(person) == {("A", None): 1, ("A", "B"): 1}
    assert rules(person) == [(("A", "B"), "A")]
    bank.file(entry("11", "-5", "A"), entry("12", "-5", "B"))
    assert payees(person) == {("A", None): 2, ("A", "B"): 2}
    merge(person, "A", into="C")
    assert payees(person) == {("C", "A"): 2, ("C", "B"): 2}
    assert rules(person) == [(("A", "B"), "C")]
    # One entry of the history each.
    person.undo()
    assert payees(person) == {("A", None): 2, ("A", "B"): 2}
    assert rules(person) == [(("A", "B"), "A")]
    report = person.undo(2, with_later=True).as_json()
    # Each once, although two entries changed one of the records and the rule.
    assert (report["removed"], report["restored"]) == ({"recordRules": 1}, {"records": 2})


def test_the_rule_of_a_merge_is_named_after_its_payee_unless_the_name_is_taken(person):
    def names():
        return {row["payee"]: row["name"] for row in person.rows(RECORD_RULES)}

    Bank(person).file(*(entry(str(n), "-5", payee) for n, payee in enumerate("ABCD", 1)))
    merge(person, "A", into="B")
    merge(person, "B", into="C")
    assert names() == {"C": "Payee C"}
    merge(person, "C", into="A")
    assert names() == {"A": "Payee A"}
    edited(person, add_rule, ["Payee D"], category=None, payee="X")
    merge(person, "A", into="D")
    assert names() == {"X": "Payee D", "D": "Payee A"}
    edited(person, set_object, RECORD_RULES, "Payee A", {"name": "Mine"})
    merge(person, "D", into="B")
    assert names() == {"X": "Payee D", "B": "Mine"}


def test_names_that_differ_by_case_or_accents(person):
    bank = Bank(person)
    bank.file(*(entry(str(n), "-5", text) for n, text in enumerate(("Café", "CAFE", "CAFÉ"), 1)))
    merge(person, "CAFÉ", "CAFE", into="Café")
    expected = {("Café", None): 1, ("Café", "CAFE"): 1, ("Café", "CAFÉ"): 1}
    assert payees(person) == expected
    bank.file(entry("9", "-1", "cafe"), entry("10", "-1", "café"))
    assert payees(person) == expected | {("Café", "cafe"): 1, ("Café", "café"): 1}


@pytest.mark.parametrize("text", ["x" * 200, "日本の店", "שלום 5", 'a, "b"; c', "%_\\"])
def test_payees_of_any_script(person, text):
    bank = Bank(person)
    bank.file(entry("1", "-5", text), entry("2", "-5", f"{text}2"[-200:]))
    merge(person, text, into=f"My {text}"[:200])
    assert payees(person)[f"My {text}"[:200], text] == 1
    assert bank.file(entry("1", "-5", text), entry("2", "-5", f"{text}2"[-200:])).created == 0
    bank.file(entry("9", "-5", text))
    assert payees(person)[f"My {text}"[:200], text] == 2


def test_everything_with_the_name_follows(person):
    order = {"amount": -5, "currencyCode": "EUR", "recurrenceRule": "FREQ=MONTHLY"}
    order |= {"startDate": "2026-01-01", "payee": "Gym"}
    ignored = ["-50000 EUR gym", "any text"]
    cash = account(name="Cash", ignoredPayments=ignored)
    person.native(cash, document("StandingOrder", 7, **order))
    bank = Bank(person)
    bank.file(entry("1", "-5", "Gym"), entry("2", "-5", "GYM 2"), entry("3", "-5", "Gym"))
    edited(person, add_rule, ["gym 2"], category=None, payee="Gym")
    account_id = person.rows(RECORDS)[0]["accountId"]
    typed = {"accountId": account_id, "amount": -1, "recordDate": day("4"), "payee": "Gym"}
    edited(person, add_record, typed)
    mine = next(row["id"] for row in person.rows(RECORDS) if row["payee"] == "GYM 2")
    edited(person, change_records, [mine], {"payee": "Gym"})
    split = next(row["id"] for row in person.rows(RECORDS) if row["recordDate"] == day("3"))
    edited(person, split_record, split, [Part(-20_000), Part(-30_000)])
    merge(person, "Gym", into="Sports club")
    assert payees(person) == {
        ("Sports club", "Gym"): 3,
        ("Sports club", "GYM 2"): 1,
        ("Sports club", None): 1,
    }
    assert person.only(STANDING_ORDERS)["payee"] == "Sports club"
    items = [item for row in person.rows(ACCOUNTS) for item in row["ignoredPayments"]]
    assert items == [*ignored, "-50000 EUR sports club"]
    assert sorted(rules(person)) == [(("Gym",), "Sports club"), (("gym 2",), "Sports club")]
    edited(person, join_parts, split)
    assert payees(person)["Sports club", "Gym"] == 2
    rows = [entry("1", "-5", "Gym"), entry("2", "-5", "GYM 2"), entry("3", "-5", "Gym")]
    assert bank.file(*rows).created == 0


def test_saved_questions_name_the_new_payee(person):
    Bank(person).file(entry("1", "-5", "A, 1"), entry("2", "-5", "B"))
    queries = (
        "records?payee=eq.A,%201&q=B",
        r"records?payee=in.A%5C,%201,B,C",
        "records?payee=in.B,D%20%26%20Co",
        "records?note=eq.B",
    )
    for number, query in enumerate(queries):
        question = Question(new_id(), person.user.id, f"Q{number}", f"/v1/api/{query}", 1, 1)
        person.change(lambda s, question=question: s.users.add_owned(question))

    def asked():
        found = person.look(lambda s: s.users.list_owned(Question, person.user.id))
        return [each.address.removeprefix("/v1/api/") for each in found]

    report = merge(person, "A, 1", "B", into="D & Co")
    assert report.remarks[-1] == "3 saved questions changed as well"
    assert asked() == [
        "records?payee=eq.D%20%26%20Co&q=B",
        "records?payee=in.D%20%26%20Co,C",
        "records?payee=in.D%20%26%20Co",
        queries[-1],
    ]
    person.undo()
    assert asked() == list(queries)


def test_a_rehearsal_changes_nothing_and_says_what_would_be_changed(person):
    Bank(person).file(entry("1", "-5", "A"), entry("2", "-5", "A"))
    before = person.snapshot()
    report = merge(person, "A", into="B", dry_run=True)
    assert (report.updated, report.created) == (2, 1)
    assert report.remarks == ["new records of these payees get the payee B, by a rule"]
    assert person.snapshot() == before


@pytest.mark.parametrize(
    ("names", "into", "said"),
    [
        (["A"], " ", "the new payee is blank"),
        (["A"], "A", "not the new one already"),
        ([], "A", "not the new one already"),
        (["A", "a"], "B", "no record has the payee a: write it exactly"),
        (["A"], "x\0", "payee"),
        (["Mine"], "B", "the rule Payee X gives one of these payees the name X: change or remove"),
    ],
)
def test_a_merge_that_cannot_be_meant_is_refused(person, names, into, said):
    Bank(person).file(entry("1", "-5", "A"), entry("2", "-5", "Mine"))
    merge(person, "Mine", into="X")
    renamed = next(row["id"] for row in person.rows(RECORDS) if row["payee"] == "X")
    edited(person, change_records, [renamed], {"payee": "Mine"})
    before = person.snapshot()
    with pytest.raises(ChangeRefused, match=said):
        merge(person, *names, into=into)
    assert person.snapshot() == before
