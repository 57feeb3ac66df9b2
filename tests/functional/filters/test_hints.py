"""``hints``: an answer lists the names and ids in its filters that no object has."""

import pytest

from support.native_rows import account, budget, category, goal, label, record, uid

NOBODY = uid("Category", 999)


@pytest.fixture
def loaded(client):
    client.load(
        account(1, name="Current account"),
        category(1, name="Groceries"),
        category(2, name="Food & Drinks"),
        label(1, name="household"),
        record(1, categoryId=uid("Category", 1), labelIds=[uid("Label", 1)]),
        budget(1, name="Living"),
        goal(1, name="Bicycle"),
    )
    return client


@pytest.mark.parametrize(
    ("path", "query", "hints"),
    [
        (
            "records",
            {"category": "eq.groceries"},
            ["No category is called groceries. Did you mean Groceries?"],
        ),
        (
            "records",
            {"category": "in.Grocerys,Groceries,zzz", "amount": "gt.5"},
            [
                "No category is called Grocerys. Did you mean Groceries?",
                "No category is called zzz.",
            ],
        ),
        (
            "records",
            {"category": "eq.Drinks"},
            ["No category is called Drinks. Did you mean Food & Drinks?"],
        ),
        ("records", {"category": "contains-i.rent"}, ["No category has rent in its name."]),
        (
            "records",
            {"accountName": "startsWith-i.curent acc"},
            ["No account has a name that begins with curent acc. Did you mean Current account?"],
        ),
        ("records", {"category": "eq."}, ['No category is called "".']),
        (
            "records",
            {"labels": "eq.hausehold"},
            ["No label is called hausehold. Did you mean household?"],
        ),
        ("records", {"categoryId": NOBODY}, [f"There is no category with the id {NOBODY}."]),
        ("records", {"labelIds": NOBODY}, [f"There is no label with the id {NOBODY}."]),
        ("records", {"id": NOBODY}, [f"There is no record with the id {NOBODY}."]),
        ("accounts", {"name": "eq.Giro"}, ["No account is called Giro."]),
        ("budgets", {"name": "eq.living"}, ["No budget is called living. Did you mean Living?"]),
        ("budgets", {"accountIds": NOBODY}, [f"There is no account with the id {NOBODY}."]),
        ("goals", {"name": "eq.Bycicle"}, ["No goal is called Bycicle. Did you mean Bicycle?"]),
        ("categories", {"parentId": NOBODY}, [f"There is no category with the id {NOBODY}."]),
        (
            "records/summary",
            {"category": "eq.groceries", "fill": "true"},
            ["No category is called groceries. Did you mean Groceries?"],
        ),
        (
            "records/summary",
            {"category": "eq.groceries", "withSubcategories": "true", "groupBy": "month"},
            ["No category is called groceries. Did you mean Groceries?"],
        ),
        (
            "records/recurring",
            {"accountId": NOBODY},
            [f"There is no account with the id {NOBODY}."],
        ),
        (
            "accounts/balances",
            {"accountId": NOBODY},
            [f"There is no account with the id {NOBODY}."],
        ),
    ],
)
def test_a_name_or_an_id_that_nothing_has_is_named_with_similar_ones(loaded, path, query, hints):
    assert loaded.get(path, **query).json["hints"] == hints


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("records", {}),
        ("records", {"category": "in.Groceries,Food & Drinks"}),
        ("records", {"category": "eq.Groceries", "amount": "gt.5"}),
        ("records", {"category": "ne.Groceries", "amount": "gt.5"}),
        ("records", {"payee": "eq.nobody"}),
        ("records", {"transferId": NOBODY}),
        ("records/summary", {"amount": "gt.5", "fill": "true"}),
    ],
)
def test_an_answer_with_rows_or_of_known_names_has_no_hints(loaded, path, query):
    assert "hints" not in loaded.get(path, **query).json


@pytest.mark.parametrize("path", ["records", "records/summary"])
@pytest.mark.parametrize(
    ("query", "hint"),
    [
        (
            {"category": "in.Groceries,grocerys"},
            "No category is called grocerys. Did you mean Groceries?",
        ),
        ({"category": "ne.Rent"}, "No category is called Rent."),
        (
            {"categoryId": f"{uid('Category', 1)},{NOBODY}"},
            f"There is no category with the id {NOBODY}.",
        ),
        ({"categoryId": f"ne.{NOBODY}"}, f"There is no category with the id {NOBODY}."),
    ],
)
def test_rows_that_match_do_not_hide_an_unknown_name(loaded, path, query, hint):
    """Without a hint, nobody would notice that a sum lacks the name, or does not leave it out."""
    found = loaded.get(path, **query).json
    assert found["hints"] == [hint]
    assert found.get("records") or found.get("groups")


@pytest.mark.parametrize("form", ["csv", "ndjson", "xlsx"])
def test_formats_without_an_envelope_have_no_hints(loaded, form):
    path = f"records.{form}"
    unknown, known = (
        loaded.get(path, category=f"eq.{name}", amount="gt.5") for name in ("nothing", "Groceries")
    )
    assert set(unknown.headers) == set(known.headers)


def test_hints_are_few_and_never_name_what_another_user_has(service, loaded):
    other = service.client()
    other.load(account(1, name="Groceries"), category(7, name="Grocery shops"))
    names = ",".join(f"Grocery shop{n}" for n in range(100))
    found = loaded.get("records", category=f"in.{names}").json["hints"]
    assert len(found) == 5
    assert not any("Grocery shops" in hint for hint in found)
    theirs = uid("Category", 7)
    assert loaded.get("records", categoryId=theirs).json["hints"] == [
        f"There is no category with the id {theirs}."
    ]


def test_a_long_name_is_shortened(loaded):
    (hint,) = loaded.get("records", category="eq." + "x" * 256).json["hints"]
    assert hint == f"No category is called {'x' * 60}…."


def test_a_hint_is_cached_until_the_data_changes(loaded):
    first = loaded.get("records", category="eq.Travel")
    has_it = {"If-None-Match": first.headers["ETag"]}
    again = loaded.get("records", category="eq.Travel", headers=has_it)
    assert (first.json["hints"], again.status_int) == (["No category is called Travel."], 304)
    loaded.load(category(3, name="Travel"))
    now = loaded.get("records", category="eq.Travel", headers=has_it)
    assert now.status_int == 200
    assert "hints" not in now.json
