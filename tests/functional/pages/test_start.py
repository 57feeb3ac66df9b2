"""What a new user is offered: categories in one click, and regions of the browser's languages."""

import re

from support.browser import few_users as services  # noqa: F401
from support.browser import new_token
from support.html import shown_text
from support.native_rows import account, category, record
from support.service import Client, on_one_storage


@on_one_storage
def test_a_new_user_begins_with_the_usual_categories_in_one_click(service, user, visitor):
    service.load(user, [account(1), record(1)])
    client = Client(service, user, new_token(service, user))
    assert "There are no categories yet" in shown_text(visitor.get("/overview").text)
    sent = {"csrf_token": visitor.csrf("/categories")}
    page = visitor.follow(visitor.post("/categories", sent, status=303))
    assert "25 categories added" in shown_text(page.text)
    found = client.get("categories", limit=100).json["categories"]
    kinds = {(row["name"], row["group"], row["kind"]) for row in found}
    assert len(kinds) == 25
    assert ("Groceries", "Food", "expense") in kinds
    assert ("Salary", "Income", "income") in kinds
    assert "There are no categories yet" not in shown_text(visitor.get("/overview").text)
    # Sent again, it adds nothing.
    answer = visitor.post("/categories", sent, status=303)
    assert "done=same" in answer.headers["Location"]


@on_one_storage
def test_categories_that_exist_are_not_added_a_second_time(service, user, visitor):
    service.load(user, [account(1), category(1, name="groceries"), record(1)])
    client = Client(service, user, new_token(service, user))
    visitor.post("/categories", {"csrf_token": visitor.csrf("/categories")}, status=303)
    found = client.get("categories", limit=100).json["categories"]
    names = [row["name"].lower() for row in found]
    assert len(names) == len(set(names)) == 25


@on_one_storage
def test_the_buttons_of_an_empty_list_are_one_group(visitor):
    for path, names in (
        ("/accounts", ["Import a file", "New account"]),
        ("/categories", ["Begin with the usual categories", "New category"]),
        ("/questions", ["Records", "Overview"]),
    ):
        empty = visitor.get(path).text.partition("panel empty")[2]
        group = empty.partition('<div class="buttons">')[2].partition("</div>")[0]
        assert re.findall(r'class="button[^>]*>([^<]+)<', group) == names


@on_one_storage
def test_regions_begin_with_those_of_the_browser_s_languages(visitor):
    def groups(header):
        headers = {"Accept-Language": header}
        page = visitor.request("GET", "/settings/profile", headers=headers).text
        return page.split('id="region"')[1].split("</select>")[0].split("<optgroup")[1:]

    first, others = groups("de-AT,pt;q=0.5")
    assert 'value="de-CH"' in first and 'value="pt-BR"' in first
    assert 'value="fr-CH"' not in first and 'value="fr-CH"' in others
    assert 'value="de-CH"' not in others
    assert groups("tlh") == []
    (first, _) = groups("en;q=0.5,hu;q=0.7,de-AT,de;q=0.9")
    values = re.findall('value="([^"]*)"', first)
    assert values[0] == "de-AT"
    assert list(dict.fromkeys(value[:2] for value in values)) == ["de", "hu", "en"]
