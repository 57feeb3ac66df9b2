"""``withSubcategories=true``: a filter on a category includes its subcategories."""

import pytest

from support.native_rows import account, budget, category, record, uid

FOOD, FRUIT, APPLES, CARS = (uid("Category", n) for n in range(1, 5))


@pytest.fixture
def loaded(client):
    client.load(
        account(),
        category(1, name="Food"),
        category(2, name="Fruit", parentId=FOOD),
        category(3, name="Apples", parentId=FRUIT),
        category(4, name="Cars"),
        *(record(n, categoryId=uid("Category", n)) for n in range(1, 5)),
        record(5),
        budget(1, categoryIds=[APPLES, CARS]),
        budget(2, categoryIds=[]),
    )
    return client


@pytest.mark.parametrize(
    ("query", "alone", "below"),
    [
        ({"category": "eq.Food"}, [1], [1, 2, 3]),
        ({"category": "in.Apples,Cars"}, [3, 4], [3, 4]),
        ({"category": "startsWith-i.f"}, [1, 2], [1, 2, 3]),
        ({"category": "ne.Food"}, [2, 3, 4], [4]),
        ({"category": "ne-or-null.Food"}, [2, 3, 4, 5], [4, 5]),
        ({"category": "ne.Nothing"}, [1, 2, 3, 4], [1, 2, 3, 4]),
        ({"category": "is.null"}, [5], [5]),
        ({"categoryId": f"ne.{FRUIT}"}, [1, 3, 4], [1, 4]),
        ({"categoryId": f"ne-or-null.{FRUIT}"}, [1, 3, 4, 5], [1, 4, 5]),
        ({"categoryId": f"{FRUIT},{CARS}"}, [2, 4], [2, 3, 4]),
        ({"category": "eq.Food", "categoryId": f"ne.{APPLES}"}, [1], [1, 2]),
        ({"amount": "lt.0"}, [1, 2, 3, 4, 5], [1, 2, 3, 4, 5]),
    ],
)
def test_what_lies_below_is_found_too(loaded, query, alone, below):
    for more, expected in (({}, alone), ({"withSubcategories": "true"}, below)):
        for accept in ("application/json", "text/csv"):
            response = loaded.get(
                "records", sortBy="id", fields="id", headers={"Accept": accept}, **query, **more
            )
            assert response.status_int == 200
            found = [n for n in range(1, 6) if uid("Record", n) in response.text]
            assert found == expected
    assert loaded.names("records", "id", **query, withSubcategories="false", sortBy="id") == [
        uid("Record", n) for n in alone
    ]


def test_it_goes_for_lists_of_categories_and_for_parents(loaded):
    assert loaded.names("budgets", "id", categoryIds=FOOD) == []
    found = loaded.names("budgets", "id", categoryIds=FOOD, withSubcategories="true")
    assert found == [uid("Budget", 1)]
    below = loaded.names("categories", "name", parentId=FOOD, withSubcategories="true")
    assert below == ["Apples", "Fruit"]


def test_it_makes_another_response(loaded):
    plain = loaded.get("records", category="eq.Food")
    below = loaded.get("records", category="eq.Food", withSubcategories="true")
    assert plain.headers["ETag"] != below.headers["ETag"]
    assert (
        "withSubcategories"
        in loaded.get("records", category="eq.Food", withSubcategories="true", limit=1).headers[
            "Link"
        ]
    )


def test_another_user_s_tree_has_no_part_in_it(service, loaded):
    other = service.client()
    other.load(category(1, name="Food"), category(4, name="Cars", parentId=FOOD))
    found = loaded.names("records", "id", category="eq.Food", withSubcategories="true", sortBy="id")
    assert found == [uid("Record", n) for n in (1, 2, 3)]


def test_only_lists_with_categories_take_it(client):
    for path, status in (("records", 200), ("standing-orders", 200), ("accounts", 400)):
        assert client.get(path, withSubcategories="true").status_int == status
