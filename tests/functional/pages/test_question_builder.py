"""Questions that are put together by choices, and figures that are saved and shared."""

import html
import random
import re
from decimal import Decimal
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

from finance_api.ledger.exchange_rates import import_rates
from finance_api.resources.currencies import DayRates
from finance_api.storage.interface import QuestionLink
from finance_api.values.time import DAY_SECONDS, parse_date
from functional.pages.test_overview import answered, number, of_currency
from functional.pages.test_questions import save, saved
from support.browser import location, new_token
from support.html import forms, shown_text
from support.native_rows import account, budget, category, goal, label, record, uid
from support.nightly import count
from support.service import Client, on_one_storage

pytestmark = on_one_storage

FOOD, BREAD, HOME, GIRO = (
    *(uid("Category", 1), uid("Category", 2)),
    *(uid("Label", 1), uid("Account", 1)),
)
SUM = "/v1/api/records/summary?columns=spent&recordDate=eq.this-month&fill=true"


@pytest.fixture(autouse=True)
def _time(monkeypatch):
    """The list of questions waits for every answer, however busy the machine is."""
    monkeypatch.setattr("finance_api.web.views.questions._LIST_SECONDS", 60)


@pytest.fixture
def client(service, user):
    """A client whose user has records in two currencies; the clock says 2026-03-18."""
    rows = [
        record(
            n,
            amount=(-7.25 * n if n % 4 else 40 * n),
            recordDate=f"2026-0{1 + n % 3}-{1 + n % 28:02}",
            payee=["Aldi", "Bakery", None][n % 3],
            note="weekend" if n % 5 == 0 else None,
            categoryId=[FOOD, BREAD, None][n % 3],
            labelIds=[HOME] if n % 2 else [],
            accountId=uid("Account", 1 + (n % 7 == 0)),
        )
        for n in range(1, 41)
    ]
    about = [
        account(1, initialBalance=100),
        account(2, name="Dollars", currencyCode="USD"),
        category(1, name="Food", kind="expense"),
        category(2, name="Bread", parentId=FOOD, kind="expense"),
        category(3, name="Unused"),
        label(1, name="home"),
        budget(1, name="Eating", categoryIds=[FOOD], limitAmount=50),
        goal(1, name="Trip", accountId=GIRO, targetAmount=5_000),
    ]
    service.load(user, [*about, *rows])
    return Client(service, user, new_token(service, user))


def built(visitor, **chosen):
    """Return the page of the builder, with the name and the address that it writes."""
    page = visitor.get(f"/questions/new?{urlencode(chosen)}")
    (form,) = (form for form in forms(page.text) if form.method == "post" and "name" in form.names)
    fields = dict(form.fields)
    return page, fields["name"], fields["address"]


def values_of(page):
    """Return the values that a page shows large, as texts."""
    return [shown_text(each) for each in re.findall(r'class="figure money">(.*?)<', page.text)]


@pytest.mark.parametrize(
    ("chosen", "name", "address"),
    [
        (
            {"what": "spent", "category": FOOD, "period": "this-month"},
            "Spent: Food, this month",
            f"columns=spent&categoryId=eq.{FOOD}&withSubcategories=true&recordDate=eq.this-month"
            "&fill=true",
        ),
        (
            {"what": "received", "account": GIRO, "period": "2026-Q1", "by": "month"},
            "Received: Giro, Q1 2026, by month",
            f"groupBy=month&columns=received&accountId=eq.{GIRO}&recordDate=eq.2026-Q1&fill=true",
        ),
        (
            {"what": "count", "label": HOME, "by": "payee"},
            "Number of records: home, by payee",
            f"groupBy=payee&columns=count&labelIds=eq.{HOME}&sortBy=-count",
        ),
        (
            {"what": "spent", "q": "week end", "by": "category", "category": "none"},
            "Spent: Without a category, “week end”, by category",
            "groupBy=category&columns=spent&categoryId=is.null&q=week+end&sortBy=-spent",
        ),
        (
            {"what": "spent", "payee": "Aldi", "period": "last-month", "compare": "previous"},
            "Spent: Aldi, last month, compared with the period before",
            "columns=spent&payee=eq.Aldi&recordDate=eq.last-month&compare=previous&fill=true",
        ),
    ],
)
def test_choices_write_the_name_and_the_address_and_show_the_answer(
    client, visitor, chosen, name, address
):
    page, shown_name, shown_address = built(visitor, **chosen)
    assert shown_name == name
    path, _, query = shown_address.partition("?")
    assert path == "/v1/api/records/summary"
    assert sorted(parse_qsl(query)) == sorted(parse_qsl(address))
    groups = answered(client, shown_address)["groups"]
    assert groups
    text = shown_text(page.text)
    for group in groups:
        assert (
            f"{abs(group[chosen['what']]):,.2f}".removesuffix(
                ".00" if chosen["what"] == "count" else ""
            )
            in text
        )


@pytest.mark.parametrize(
    ("chosen", "address", "value"),
    [
        ({"account": GIRO}, f"interval=day&accountId=eq.{GIRO}&from=today&to=today", True),
        ({}, "interval=day&from=today&to=today&rows=totals", True),
        (
            {"by": "month", "period": "this-year"},
            "interval=month&from=this-year&rows=totals",
            False,
        ),
        (
            {"by": "month", "period": "2026-02"},
            "interval=month&from=2026-02&to=2026-02&rows=totals",
            True,
        ),
    ],
)
def test_a_balance_is_that_of_accounts(client, visitor, chosen, address, value):
    page, _, shown = built(visitor, what="balance", **chosen)
    assert shown == f"/v1/api/accounts/balances?{address}"
    totals = answered(client, shown)["totals"]
    texts = [f"{total['balance']:,.2f} {total['currencyCode']}" for total in totals]
    minus = [text.replace("-", "\N{MINUS SIGN}") for text in texts]
    assert values_of(page) == (minus if value else [])


@pytest.mark.parametrize(
    ("chosen", "key", "sentence"),
    [
        ({"category": uid("Category", 99)}, "category", "no longer exists: choose again"),
        ({"what": "spend"}, "what", "no longer exists: choose again"),
        ({"period": "soon"}, "period", "no longer exists: choose again"),
        ({"payee": "Ald"}, "payee", "No record has this payee"),
        ({"payee": "x" * 300}, "payee", "No record has this payee"),
        ({"compare": "year"}, "period", "Choose the period to compare."),
        ({"what": "balance", "category": FOOD}, "category", "A balance is that of accounts"),
        ({"what": "balance", "by": "payee"}, "by", "only be asked by month"),
        ({"what": "balance", "period": "2026"}, "by", "only be asked by month"),
    ],
)
def test_what_cannot_be_asked_is_refused_at_its_field(client, visitor, chosen, key, sentence):
    page, name, address = built(visitor, **{"what": "spent", **chosen})
    assert sentence in shown_text(page.text.split(f'id="{key}-error"')[1].split("</p>")[0])
    assert (name, address, values_of(page)) == ("", "", [])


def test_a_category_that_is_removed_after_it_was_chosen_gives_no_sum(client, visitor, user):
    unused = uid("Category", 3)
    _, name, address = built(visitor, what="spent", category=unused)
    visitor.submit(f"/categories/{unused}/remove", f"/categories/{unused}/remove")
    form = visitor.form("/questions/new")
    page = visitor.post(form.action, form.filled({"name": name, "address": address}), status=303)
    page = visitor.follow(page)
    assert "There is no category with the id" in shown_text(page.text)
    assert values_of(page) == []
    assert "There is no category with the id" in shown_text(visitor.get("/questions").text)


def test_a_question_about_a_category_removed_meanwhile_is_not_saved(service, user, client, visitor):
    unused = uid("Category", 3)
    path = f"/questions/new?what=spent&category={unused}&period=this-month"
    sent = visitor.form(path, path).filled({"name": "My name"})
    visitor.submit(f"/categories/{unused}/remove", f"/categories/{unused}/remove")
    page = visitor.follow(visitor.post(path, sent, status=303))
    assert "no longer exists: choose again" in page.text.split('id="category-error"')[1]
    assert dict(forms(page.text)[-1].fields)["name"] == "My name"
    assert saved(service, user) == []


def test_a_proposed_name_does_not_outlive_what_it_names(client, visitor):
    unused = uid("Category", 3)
    path = f"/questions/new?what=spent&category={unused}&period=this-month"
    form = visitor.form(path, path)
    assert dict(form.fields)["name"].startswith("Spent: ")
    visitor.submit(f"/categories/{unused}/remove", f"/categories/{unused}/remove")
    page = visitor.follow(visitor.post(path, form.fields, status=303))
    assert "no longer exists: choose again" in page.text
    assert dict(forms(page.text)[-1].fields)["name"] == ""


def test_a_single_value_is_shown_large_on_its_page_its_link_and_in_the_list(
    service, client, visitor
):
    shared = f"/questions/new?{urlencode({'share': 'yes', 'name': 'Spent', 'address': SUM})}"
    made = visitor.submit(shared, "/questions/new", status=303)
    address = re.search(r"/q/finq_\w+\.html", visitor.get(location(made)).text)[0]
    question_path = location(made).removesuffix("/links/made")
    groups = answered(client, SUM)["groups"]
    assert [group["currencyCode"] for group in groups] == ["EUR", "USD"]
    expected = [f"{group['spent']:,.2f} {group['currencyCode']}" for group in groups]
    assert values_of(visitor.get(question_path)) == expected
    assert values_of(service.web.get(address)) == expected
    assert ", ".join(expected) in shown_text(visitor.get("/questions").text)


def test_a_compared_value_names_the_earlier_one(client, visitor):
    page, _, address = built(
        visitor, what="spent", period="this-month", compare="previous", account=GIRO
    )
    (group,) = answered(client, address)["groups"]
    assert values_of(page) == [f"{group['spent']:,.2f} EUR"]
    before = f"{group['previousSpent']:,.2f}".replace("-", "\N{MINUS SIGN}")
    change = f"{group['changeSpentPercent']:.1f}%".replace("-", "\N{MINUS SIGN}")
    shown = shown_text(page.text)
    assert f"Before: {before}; Change: " in shown and f"; Change in percent: {change}" in shown
    table = visitor.get("/questions/new?what=spent&by=payee&period=this-month&compare=previous")
    headings = [each.text for each in table.html.select("thead th")]
    assert {"Spent", "Spent before", "Spent: change", "Spent: change in percent"} <= {*headings}


def test_a_text_that_cannot_be_searched_is_reported_at_its_control(visitor):
    page = visitor.get("/questions/new?what=spent&q=amazon+OR").text
    assert 'id="q-error"' in page


def test_the_list_says_so_where_an_answer_takes_long_or_fails(
    service, user, client, visitor, monkeypatch
):
    save(service, user, "Rows", "/v1/api/records/summary?groupBy=payee")
    save(service, user, "Old", "/v1/api/records?total=lt.0")
    save(service, user, "Stale", "/v1/api/records?revision=1000")
    text = shown_text(visitor.get("/questions").text)
    rows = f"{len(client.get('records/summary?groupBy=payee').json['groups'])} rows"
    assert f"Rows {rows}" in text
    assert "total: there is no such parameter" in text
    assert 'The question "Stale" can no longer be answered' in text
    monkeypatch.setattr("finance_api.web.views.questions._LIST_SECONDS", 0)
    text = shown_text(visitor.get("/questions").text)
    assert "Rows takes too long for a list: open it" in text and rows not in text


def test_the_list_says_which_records_a_converted_sum_leaves_out(service, user, client, visitor):
    # Users share the rates: no test has some of this currency.
    pula = {"currencyCode": "BWP", "accountId": uid("Account", 3)}
    service.load(user, [account(3, currencyCode="BWP"), record(99, amount=-5, **pula)])
    converted = "columns=net&convertTo=EUR&mergeCurrencies=true"
    save(service, user, "All", f"/v1/api/records/summary?{converted}")
    assert "records could not be converted" in shown_text(visitor.get("/questions").text)


def links(service, user):
    return service.change(lambda storage: storage.users.list_owned(QuestionLink, user.id))


def test_sharing_saves_a_question_once_and_gives_it_a_link(service, user, client, visitor):
    path = f"/questions/new?{urlencode({'share': 'yes', 'name': 'Spent', 'address': SUM})}"
    first, second = visitor.form(path), visitor.form(path)
    made = visitor.post(first.action, first.fields, status=303)
    # Sent again, and from a second tab.
    again = visitor.post(first.action, first.fields, status=303)
    assert "Nothing was created a second time" in shown_text(visitor.follow(again).text)
    visitor.post(second.action, second.filled({"name": "For Kim"}), status=303)
    (question,) = saved(service, user)
    assert (question.name, question.address) == ("Spent", SUM)
    assert location(made) == f"/questions/{question.id}/links/made"
    assert sorted(link.name for link in links(service, user)) == ["For Kim", "Spent"]


def test_choices_without_a_form_of_their_own_are_a_named_group(visitor):
    assert 'id="choices" role="group" aria-label=' in visitor.get("/questions/new").text


def test_a_link_is_offered_only_where_there_is_something_to_share(client, visitor):
    path = "/questions/new?share=yes"
    assert "Create the link" not in visitor.get(path).text
    page, name, address = built(visitor, share="yes", what="spent", period="this-month")
    assert "Create the link" in page.text
    assert (name, address) == ("Spent: this month", SUM)


def test_saving_the_same_form_twice_saves_one_question(service, user, client, visitor):
    path = f"/questions/new?{urlencode({'name': 'Spent', 'address': SUM})}"
    form = visitor.form(path)
    first, second = (visitor.post(form.action, form.fields, status=303) for _ in range(2))
    assert location(first) == location(second)
    (question,) = saved(service, user)
    other = {"name": "Spent", "address": "/v1/api/records"}
    page = visitor.submit("/questions/new", "/questions/new", status=400, **other)
    assert "There is already a question named" in page.text
    assert question == saved(service, user)[0]


def test_a_refused_link_keeps_what_was_chosen(service, user, client, visitor):
    path = f"/questions/new?{urlencode({'share': 'yes', 'name': 'Spent', 'address': SUM})}"
    page = visitor.submit(path, "/questions/new", status=400, expiry="date", expires_on="soon")
    assert "Enter a date such as 2027-01-31." in page.text
    (form,) = (form for form in forms(page.text) if "expiry" in form.names)
    fields = dict(form.fields)
    assert (fields["expiry"], fields["expires_on"], fields["address"]) == ("date", "soon", SUM)
    assert saved(service, user) == []


def kept_figures(page):
    """Return the figures of a page that can be saved: their numbers, and the links beside them."""
    found = []
    for part in re.findall(r"<dt>.*?</div>", page.text, re.DOTALL):
        link = re.search(r'href="(/questions/new\?name=[^"]*)"', part)
        if link:
            figure = re.search(r'class="figure"[^>]*>(.*?)</dd>', part, re.DOTALL)[1]
            found.append((number(shown_text(figure)), html.unescape(link[1])))
    return found


@pytest.mark.parametrize(
    ("path", "most"),
    [
        ("/overview", 6),
        ("/overview?period=2026-02", 6),
        (f"/categories/{FOOD}", 3),
        # Refunds without the label make its share more than 100%, so the page has none.
        (f"/labels/{HOME}", 2),
        ("/payee?name=Aldi", 3),
        (f"/accounts/{GIRO}", 1),
        (f"/budgets/{uid('Budget', 1)}", 3),
        (f"/goals/{uid('Goal', 1)}", 2),
    ],
)
def test_each_figure_that_is_saved_has_the_value_of_the_page(client, visitor, path, most):
    page = visitor.get(path)
    figures = kept_figures(page)
    assert len(figures) == most
    # Net worth has one question for all currencies, and the day of a goal is no number.
    others = 1 if path.startswith(("/overview", "/goals")) else 0
    assert page.text.count('<dd class="figure"') == most + others
    for figure, link in figures:
        texts = values_of(visitor.get(link))
        # Net worth has a value in each currency; what is left of an overspent budget is negative.
        values = [number(text) for text in texts]
        assert figure in values or (path.startswith("/budgets") and -figure in values), link
        asked = dict(parse_qsl(urlsplit(link).query))
        shown = dict(visitor.form(link, "/questions/new").fields)
        assert (shown["name"], shown["address"]) == (asked["name"], asked["address"])


@pytest.mark.parametrize("query", ["convertTo=EUR", "period=2026-02&convertTo=USD"])
def test_converted_figures_are_saved_in_the_decimals_of_the_page(service, client, visitor, query):
    days = range(parse_date("2026-01-01"), parse_date("2026-03-31"), DAY_SECONDS)
    quoted = [DayRates(day, "EUR", {"USD": Decimal("1.0837")}) for day in days]
    import_rates(service.backend, quoted, service.clock.now())
    figures = kept_figures(visitor.get(f"/overview?{query}"))
    assert len(figures) == 7
    for figure, link in figures:
        assert figure in [number(text) for text in values_of(visitor.get(link))], link


def test_this_month_is_saved_as_a_relative_date_and_other_months_as_themselves(client, visitor):
    def asked(path):
        found = (parse_qsl(urlsplit(link).query) for _, link in kept_figures(visitor.get(path)))
        return next(dict(pairs) for pairs in found if "Spent" in dict(pairs)["name"])

    spent = {"name": "Spent this month, in EUR", "address": "recordDate=eq.this-month"}
    assert all(text in asked("/overview")[name] for name, text in spent.items())
    spent = {"name": "Spent Feb 2026, in EUR", "address": "recordDate=eq.2026-02"}
    assert all(text in asked("/overview?period=2026-02")[name] for name, text in spent.items())


@pytest.mark.parametrize("name", ["Income", "Expense", "Net"])
def test_the_sums_of_filtered_records_are_shared(client, visitor, name):
    page = visitor.get(f"/records?label={HOME}&period=2026-02&currency=EUR&q=bakery")
    link = html.unescape(re.search(rf'href="(/questions/new\?name={name}[^"]*)"', page.text)[1])
    shown = re.search(rf'{name} <span class="money">([^<]*)', page.text)[1]
    assert [number(text) for text in values_of(visitor.get(link))] == [number(shown)]
    about = dict(parse_qsl(urlsplit(link).query))["name"]
    assert about == f"{name}: “bakery”, Feb 2026, home, EUR"


def _random_list(chance):
    """Return the parameters of a list of records, and those of the API for its sums."""
    page, asked = {}, {}
    for name, parameter, texts in (
        ("account", "accountId", [GIRO, uid("Account", 2)]),
        ("category", "categoryId", [FOOD, BREAD, uid("Category", 3)]),
        ("label", "labelIds", [HOME]),
        ("payee", "payee", ["Aldi", "Bakery"]),
        ("currency", "currencyCode", ["EUR", "USD"]),
        ("q", "q", ["weekend", "aldi"]),
    ):
        if chance.random() < 0.35:
            page[name] = text = chance.choice(texts)
            asked[parameter] = text if name == "q" else f"eq.{text}"
    if "category" in page:
        asked["withSubcategories"] = "true"
    if chance.random() < 0.5:
        days = sorted(f"2026-0{chance.randint(1, 4)}-{chance.randint(1, 28):02}" for _ in "ab")
        page["from"], page["to"] = days
        asked["recordDate"] = f"gte.{days[0]},lte.{days[1]}"
    return page, asked


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(count(3, 150)))
def test_the_sums_of_random_filters_are_those_of_the_api(client, visitor, seed):
    page, asked = _random_list(random.Random(seed))
    shown = visitor.get(f"/records?{urlencode(page)}")
    rows = {
        row[0]: [number(text) for text in row[2:]]
        for row in re.findall(
            r'class="name-text">(\w+)<.*?' + r'class="money">([^<]*)<.*?' * 3,
            shown.text.partition('id="totals"')[2].partition("</table>")[0],
            re.DOTALL,
        )
        for row in [(row[0], None, *row[1:])]
    }
    groups = client.get("records/summary", **asked).json["groups"]
    expected = {g["currencyCode"]: [g["income"], g["expense"], g["net"]] for g in groups}
    assert {code: list(map(float, sums)) for code, sums in rows.items()} == expected


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(count(3, 150)))
def test_the_figures_of_random_periods_are_those_of_the_api(client, visitor, seed):
    chance = random.Random(seed)
    currency = chance.choice(["EUR", "USD"])
    month = f"2026-0{chance.randint(1, 4)}"
    days = sorted(f"2026-0{chance.randint(1, 4)}-{chance.randint(1, 28):02}" for _ in "ab")
    page, asked = chance.choice(
        [
            ({"period": month}, f"eq.{month}"),
            ({"period": "2026-Q1"}, "eq.2026-Q1"),
            ({"period": "2026"}, "eq.2026"),
            (dict(zip(("from", "to"), days, strict=True)), f"gte.{days[0]},lte.{days[1]}"),
        ]
    )
    shown = visitor.get(f"/overview?{urlencode({**page, 'currency': currency})}")
    groups = client.get("records/summary", columns="received,spent,net", recordDate=asked).json
    sums = of_currency(groups["groups"], currency)
    sums_links = (each for each in kept_figures(shown) if "summary" in each[1])
    figures = [figure for figure, link in sums_links if "columns%3Dleft" not in link]
    assert list(map(float, figures)) == [sums.get(n, 0) for n in ("received", "spent", "net")]


def test_what_is_typed_stays_with_the_choices_and_is_shown_before_it_is_saved(
    service, user, client, visitor
):
    def sent(path, **given):
        """Fill in the form of a page and send it: the choices, name and address of the next."""
        made = visitor.submit(path, path.partition("?")[0], status=303, **given)
        return location(made), dict(parse_qsl(urlsplit(location(made)).query))

    path, asked = sent("/questions/new", show="", name="Bread & butter", period="this-month")
    assert asked == {**asked, "name": "Bread & butter", "what": "spent", "period": "this-month"}
    # Choices that were not shown yet are shown first, whichever button is pressed.
    path, asked = sent(path, by="month")
    assert (asked["name"], asked["by"]) == ("Bread & butter", "month")
    assert saved(service, user) == []
    path, asked = sent(path, show="", name="")
    assert "name" not in asked
    assert dict(visitor.form(path).fields)["name"] == "Spent: this month, by month"
    # A suggested name follows the choices, and a typed address is not replaced by them.
    path, asked = sent(path, show="", by="")
    assert dict(visitor.form(path).fields)["name"] == "Spent: this month"
    there, asked = sent(path, show="", address=SUM.replace("spent", "net"), name="Mine")
    assert asked == {"name": "Mine", "address": SUM.replace("spent", "net")}
    assert dict(visitor.form(there).fields)["name"] == "Mine"
    _, asked = sent(path, show="share", name="Mine")
    assert asked == {**asked, "share": "yes", "name": "Mine", "period": "this-month"}
    _, asked = sent(there, show="share", name="Ours")
    assert asked == {"share": "yes", "name": "Ours", "address": SUM.replace("spent", "net")}
    assert saved(service, user) == []
    there, _ = sent(path)
    assert [each.name for each in saved(service, user)] == ["Spent: this month"]
    assert there.startswith("/questions/") and there.endswith("?done=saved")
    # The name of a figure that is saved is not that of another question.
    page = visitor.get(f"/questions/new?{urlencode({'name': 'Net', 'address': SUM})}")
    (choices,) = (form for form in forms(page.text) if "what" in form.names)
    assert choices.method == "get" and "name" not in choices.names
