"""finance-api add, set, remove, rules, records, transfers"""

import json
from re import sub

import pytest

from support.command import Command
from support.edits import stored
from support.killing import kill, shares, work_seconds
from support.ledger import account, an_id, document, record
from support.nightly import count

EMAIL = "killed@example.org"
COUNT = count(400, 3_000)
KILLS = count(2, 200)


@pytest.fixture
def books(command, anna):
    stored(
        command,
        anna,
        account(1, name="Checking"),
        account(2, name="Savings", bankAccountNumber="DE99"),
        document("Category", 11, name="Groceries"),
        record(31, payee="Corner Shop", amount=-5),
        record(32, accountId=an_id(2), amount=5, payee="x"),
    )
    return anna


def lines(command, *arguments):
    return command.done(*arguments).decode().splitlines()


def answer(command, *arguments):
    return json.loads(command.done(*arguments, "--json"))


def dump(command, email):
    return command.done("dump", email)


def test_budget_of_the_docs_is_added_changed_and_removed(command, books):
    given = ["name=Food", "limitAmount=400", "categories=Groceries"]
    made, counts = lines(command, "add", books, "budgets", *given)
    assert made.startswith("+ Food (") and counts == "1 created"
    said = lines(command, "set", books, "budgets", "food", "limitAmount=350.5", "categories=")
    assert said == [
        "Food: limitAmount 400 -> 350.5",
        "Food: categoryIds Groceries -> -",
        "1 updated",
    ]
    assert lines(command, "set", books, "budgets", "Food", "limitAmount=350.50") == [
        "nothing to change"
    ]
    found = answer(command, "remove", books, "budgets", "Food")
    assert (found["removed"], found["gone"][0]["name"]) == (1, "Food")


@pytest.mark.parametrize(
    "arguments",
    [
        ["add", "labels", "name=x"],
        ["set", "accounts", "Checking", "name=Giro"],
        ["remove", "categories", "Groceries"],
        ["rules", "add", "corner", "--category", "Groceries"],
        ["records", "remove", an_id(31)],
        ["records", "edit", "edit.csv"],
        ["records", "split", an_id(31), "--part", "-3", "Groceries", "--part", "rest", ""],
        ["transfers", "find", "--apply"],
        ["transfers", "link", an_id(31), an_id(32)],
    ],
    ids=" ".join,
)
def test_dry_run_says_the_same_and_keeps_nothing(command, books, arguments):
    command.file("edit.csv", f"id,payee\n{an_id(31)},Shop\n")
    at = 2 if arguments[0] in ("rules", "records", "transfers") else 1
    arguments = [*arguments[:at], books, *arguments[at:]]
    before = dump(command, books)
    expected = lines(command, *arguments, "--dry-run")
    assert expected[-1].endswith(" (dry run)")
    assert dump(command, books) == before
    found = answer(command, *arguments, "--dry-run")
    assert found.pop("dryRun") is True
    assert dump(command, books) == before
    done = lines(command, *arguments)
    assert done[-1] == expected[-1].removesuffix(" (dry run)")
    assert dump(command, books) != before


def test_json_has_old_and_new_values(command, books):
    found = answer(command, "set", books, "accounts", "Checking", "initialBalance=100")
    assert found["changes"] == [
        {
            "type": "accounts",
            "id": an_id(1),
            "name": "Checking",
            "field": name,
            "old": old,
            "new": new,
        }
        for name, old, new in [("initialBalance", "0", "100"), ("balance", "-5", "95")]
    ]
    assert (found["created"], found["updated"], found["dryRun"]) == (0, 1, False)


def test_a_category_is_moved_into_another(command, books):
    command.done("add", books, "categories", "name=Shops")
    found = answer(command, "remove", books, "categories", "Groceries", "--into", "Shops")
    assert found["gone"][0]["name"] == "Groceries"
    said = command.refused("remove", books, "accounts", "Checking", "--into", "Checking")
    assert "only categories and labels can be merged" in said
    assert "there is no category" in command.refused(
        "remove", books, "categories", "Shops", "--into", "x"
    )


def test_rules_are_listed_applied_and_removed(command, books):
    command.done("rules", "add", books, "corner", "shop", "--category", "groceries")
    (rule,) = answer(command, "rules", "list", books)
    assert (rule["keywords"], rule["category"]) == (["corner", "shop"], "Groceries")
    assert lines(command, "rules", "list", books)[1].split() == [
        *(rule["id"], "corner,", "shop", "corner,", "shop", "-", "-", "Groceries", "-", "-")
    ]
    assert lines(command, "rules", "apply", books) == [
        "2026-01-31 Corner Shop -5 EUR: category - -> Groceries",
        "by category: 1 Groceries",
        "1 updated",
    ]
    command.done("rules", "remove", books, "corner, shop")
    assert answer(command, "rules", "list", books) == []
    said = command.refused("remove", books, "accounts", "Checking")
    assert said.endswith("remove those first; --with-records removes its records as well\n")
    said = command.refused("remove", books, "categories", "Groceries")
    assert said == (
        "finance-api: the category Groceries is used by 1 record: change or remove those first\n"
    )


def test_records_are_edited_and_removed_by_file_or_id(command, books):
    path = command.file("edit.csv", f"id,amount,payee\n{an_id(31)},7,Shop\n")
    assert lines(command, "records", "edit", books, path) == [
        "2026-01-31 Corner Shop -5 EUR: payee Corner Shop -> Shop",
        "not edited: amount",
        "1 updated",
    ]
    data = f"id,payee\n{an_id(31)},Kiosk\n".encode()
    assert command.done("records", "edit", books, "-", stdin=data).endswith(b"1 updated\n")
    said = command.refused("records", "edit", books, command.file("bad.csv", "id,payee\nx,y\n"))
    assert said.endswith("bad.csv: no record has the id x in line 2\n")
    assert "cannot be read" in command.refused("records", "edit", books, "missing.csv")
    command.file("ids.txt", f"{an_id(31)}\n\n{an_id(32)}\n")
    assert lines(command, "records", "remove", books, "ids.txt")[-1] == "2 removed"
    assert b'"Record"' not in dump(command, books)


def test_records_are_split_and_joined(command, books):
    parts = ["--part", "-3.25", "groceries", "--part", "rest", ""]
    said = lines(command, "records", "split", books, an_id(31), *parts)
    assert [line.partition(" (")[0] for line in said] == [
        "+ 2026-01-31 Corner Shop -3.25 EUR",
        "+ 2026-01-31 Corner Shop -1.75 EUR",
        "- 2026-01-31 Corner Shop -5 EUR",
        "2 created, 1 removed",
    ]
    assert lines(command, "records", "split", books, an_id(31).upper(), *parts)[-1] == (
        "2 created, 2 removed"
    )
    for wrong, reason in (
        (["--part", "-1", ""], "needs 2 to 500 parts; 1 were given"),
        (["--part", "-1", "", "--part", "x", ""], "the amount x is not a decimal number"),
        (["--part", "rest", "", "--part", "rest", ""], "only one part can have the amount rest"),
        (["--part", "-1", "", "--part", "-2", "Food"], "no category"),
        (["--part", "-1", "", "--part", "-2", ""], "the difference is -2"),
    ):
        assert reason in command.refused("records", "split", books, an_id(31), *wrong)
    assert lines(command, "records", "join", books, an_id(31))[-1] == "1 created, 2 removed"
    assert "is not the id of a split" in command.refused("records", "join", books, an_id(31))


def test_transfers_are_found_linked_and_unlinked(command, books):
    pair, counts = lines(command, "transfers", "find", books)
    assert pair == f"5 EUR: Checking 2026-01-31 {an_id(31)} -> Savings 2026-01-31 {an_id(32)}"
    assert counts == "1 found"
    assert lines(command, "transfers", "find", books, "--apply")[-1] == "1 found, all linked"
    found = answer(command, "transfers", "unlink", books, an_id(32))
    assert {change["field"] for change in found["changes"]} == {"transferId"}
    found = answer(command, "transfers", "link", books, an_id(31), an_id(32))
    assert found["updated"] == 2
    assert answer(command, "transfers", "find", books)["transfers"] == []


def test_payees_are_merged(command):
    command.done("user", "add", EMAIL)
    rows = [record(n, payee=name, sourceId=f"{n}") for n, name in enumerate(("AMZN", "Shop"), 31)]
    stored(command, EMAIL, account(), *rows)
    merge = ["payees", "merge", EMAIL, "AMZN", "--into", "Amazon"]
    before = dump(command, EMAIL)
    assert "by a rule" in "".join(lines(command, *merge, "--dry-run"))
    assert dump(command, EMAIL) == before
    command.done(*merge)
    assert '"originalPayee":"AMZN"' in dump(command, EMAIL).decode().replace(" ", "")
    assert "Amazon" in "".join(lines(command, "rules", "list", EMAIL))
    assert "no record has the payee AMZN" in command.refused(*merge)


@pytest.mark.parametrize(
    "arguments",
    [
        ["add", "x@example.org", "labels", "name"],
        ["add", "x@example.org", "labels", "name=a", "name=b"],
        ["add", "x@example.org", "records", "name=a"],
        ["add", "x@example.org", "labels"],
        ["remove", "x@example.org", "labels", "a", "--with-records"],
        ["rules", "add", "x@example.org"],
        ["transfers", "link", "x@example.org", "a"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_reported(command, arguments):
    command.refused(*arguments, code=2)


def test_unknown_user_is_reported(command):
    said = command.refused("add", "x@example.org", "labels", "name=a")
    assert "no user x@example.org" in said


@pytest.mark.nightly
@pytest.mark.parametrize("storage", count(["sqlite"], ["sqlite", "postgresql"]))
def test_killed_rules_apply_leaves_nothing_or_everything(tmp_path, new_settings, storage, figures):
    command = Command(tmp_path, new_settings(storage))
    rows = [record(n, amount=n, payee=f"shop {n}") for n in range(100, 100 + COUNT)]
    base = [account(), document("Category", 11, name="Food")]
    rule = document("RecordRule", 12, keywords=["shop"], categoryId=an_id(11))

    def fill():
        command.done("user", "add", EMAIL)
        stored(command, EMAIL, *base, rule, *rows)
        return without_times(dump(command, EMAIL))

    before = fill()
    seconds, done = work_seconds(command, "rules", "apply", EMAIL), 0
    whole = without_times(dump(command, EMAIL))
    assert whole != before
    for share in shares(KILLS, 4711):
        command.done("user", "delete", EMAIL, "--yes")
        assert fill() == before
        kill(command, share * seconds, "rules", "apply", EMAIL)
        found = without_times(dump(command, EMAIL))
        assert found in (before, whole)
        done += found == whole
        command.done("rules", "apply", EMAIL)
        assert without_times(dump(command, EMAIL)) == whole
    assert lines(command, "rules", "apply", EMAIL) == ["nothing to change"]
    figures(f"{KILLS} killed, {done} were done")


def without_times(text):
    return sub(r'"(created|updated)At":"[^"]*"', "", text.decode())
