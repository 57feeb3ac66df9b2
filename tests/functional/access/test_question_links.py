"""Links of saved questions: what each shows, and a table of attacks."""

from decimal import Decimal
from io import BytesIO, StringIO

import feedparser
import openpyxl
import pandas
import pytest
import vobject
from icalendar import Calendar

from finance_api.auth.question_links import new_secret, revoke_link
from finance_api.storage.interface import Question
from support.native_rows import account, record, uid
from support.nightly import count
from support.question_links import RECORDS, SUMMARY, UPCOMING, Linked, household
from support.service import USUAL_LIMITS, Service, on_one_storage

UNKNOWN = "finq_" + "x" * 32
BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8"
PROBLEM = "application/problem+json"


@pytest.fixture
def linked(client):
    return Linked(household(client))


# -- the forms


def test_each_form_is_the_answer_of_the_api(linked):
    answer = linked.read()
    assert answer.status_int == 200
    # A link hides ids of other objects.
    names = answer.json["records"][0].keys()
    assert not names & {"accountId", "categoryId", "labelIds", "transferId", "splitId", "importId"}
    query = f"payee=eq.Bakery&limit=5&fields={','.join(names)}"
    direct = linked.client.get(f"records?{query}")
    # A link hides how often the data has changed.
    assert direct.body == answer.body[:-1] + b',"revision":%d}' % direct.json["revision"]
    # What people read comes first.
    columns = linked.read(".csv").text.splitlines()[0].split(",")
    assert columns != [*names] and {*columns} == {*names} and columns[-1] == "id"
    query = query.replace(",".join(names), ",".join(columns))
    assert linked.read(".csv").body == linked.client.get(f"records.csv?{query}").body
    sheet = openpyxl.load_workbook(BytesIO(linked.read(".xlsx").body)).active
    assert sheet.max_row == 3
    table = pandas.read_csv(StringIO(linked.read(".csv").text))
    assert list(table["payee"]) == ["Bakery", "Bakery"]


def test_a_feed_has_the_records(linked):
    answer = linked.read(".rss")
    assert answer.content_type == "application/rss+xml"
    feed = feedparser.parse(BytesIO(answer.body))
    assert not feed.bozo
    assert feed.feed.title == "Bread"
    assert {entry.title for entry in feed.entries} == {
        "Bakery: -4.25 EUR",
        "Bakery: -900719925474099.3001 EUR",
    }


def test_a_calendar_has_what_is_upcoming(client):
    answer = Linked(household(client), UPCOMING, "Due").read(".ics")
    assert answer.content_type == "text/calendar"
    days = [event.start.isoformat() for event in Calendar.from_ical(answer.body).walk("VEVENT")]
    assert days == ["2026-04-01", "2026-05-01"]
    assert len(vobject.readOne(answer.text).vevent_list) == 2


def test_the_same_expected_payment_from_two_accounts_is_two_events(client):
    """Today is 18 March."""
    days = ["2025-12-20", "2026-01-20", "2026-02-20"]
    client.load(
        account(),
        account(2, name="Joint"),
        *(
            record(
                number * 10 + at,
                payee="Films",
                amount=Decimal("-9.99"),
                recordDate=day,
                accountId=uid("Account", number),
            )
            for number in (1, 2)
            for at, day in enumerate(days)
        ),
    )
    answer = Linked(client, f"{UPCOMING}&include=expected").read(".ics")
    ids = [str(event["uid"]) for event in Calendar.from_ical(answer.body).walk("VEVENT")]
    assert len(ids) == len(set(ids)) == 4
    # No number is needed, so another order of the rows changes nothing.
    assert all(each.endswith("-20@finance_api") for each in ids)


@on_one_storage
@pytest.mark.parametrize(
    ("address", "ending", "forms"),
    [
        (SUMMARY, ".ics", ".csv, .xlsx, .json and .html"),
        (SUMMARY, ".rss", ".csv, .xlsx, .json and .html"),
        (RECORDS, ".ics", ".csv, .xlsx, .json, .html and .rss"),
        (UPCOMING, ".rss", ".csv, .xlsx, .json, .html and .ics"),
        (RECORDS, ".pdf", ".csv, .xlsx, .json, .html and .rss"),
        (RECORDS, "", ".csv, .xlsx, .json, .html and .rss"),
        (RECORDS, ".csv/more", ".csv, .xlsx, .json, .html and .rss"),
    ],
)
def test_a_form_that_does_not_suit_is_a_404_that_names_the_others(client, address, ending, forms):
    answer = Linked(household(client), address).read(ending)
    assert answer.status_int == 404
    assert answer.json["detail"].endswith(f" {forms}.")


@pytest.mark.parametrize("ending", [".json", ".csv", ".xlsx", ".rss", ".html"])
def test_a_client_that_has_the_answer_gets_a_304_until_the_data_changes(linked, ending):
    first = linked.read(ending)
    again = linked.read(ending, If_None_Match=first.headers["ETag"])
    assert (again.status_int, again.body) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]
    head = linked.read(ending, method="HEAD")
    assert (head.status_int, head.body, head.headers["ETag"]) == (200, b"", first.headers["ETag"])
    linked.client.load(record(4, payee="Bakery"))
    changed = linked.read(ending, If_None_Match=first.headers["ETag"])
    assert changed.status_int == 200
    assert changed.headers["ETag"] != first.headers["ETag"]


def test_the_forms_have_entity_tags_of_their_own(linked):
    endings = (".json", ".csv", ".xlsx", ".rss", ".html")
    tags = {linked.read(ending).headers["ETag"] for ending in endings}
    assert len(tags) == len(endings)
    for ending in endings:
        others = ", ".join(tags - {linked.read(ending).headers["ETag"]})
        assert linked.read(ending, If_None_Match=others).status_int == 200


@on_one_storage
@pytest.mark.parametrize("accept", ["text/csv", "image/png", "text/html", "application/xml"])
def test_the_address_alone_chooses_the_form(client, accept):
    linked = Linked(household(client))
    for ending in (".json", ".csv", ".rss"):
        assert linked.read(ending, Accept=accept).body == linked.read(ending).body


@on_one_storage
def test_parameters_appended_to_the_address_change_nothing(client):
    linked = Linked(household(client))
    plain = linked.read()
    for query in ("?limit=1", "?payee=is.not_null", "?access_token=x", "?limit=0&limit=x", "?%zz"):
        answer = linked.read(f".json{query}")
        assert (answer.status_int, answer.body) == (200, plain.body), query
        assert answer.headers["ETag"] == plain.headers["ETag"]


def test_a_link_shows_nothing_but_the_rows_of_its_answer(linked):
    other = Linked(linked.client, SUMMARY, "Another question")
    (link, *_), question = linked.links, linked.question
    for ending in (".json", ".csv", ".rss", ".html"):
        answer = linked.read(ending)
        shown = answer.text + str(answer.headers)
        for secret in (
            *("Secret shop", "Another question", question.id, other.question.id, link.id),
            *(linked.client.user.email, linked.client.user.uuid, "/v1/api", linked.secret),
        ):
            assert secret not in shown, (ending, secret)


@on_one_storage
@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("accounts/balances?interval=day&from=today&to=today&rows=totals", "totals"),
        ("accounts/balances?from=today&to=today&rows=totals&convertTo=EUR", "convertedTotals"),
        ("accounts/forecast?to=%2B3d&rows=totals", "totals"),
    ],
)
def test_a_link_to_sums_shows_no_account(client, address, name):
    client.load(account(1, name="Secret", initialBalance=7), account(2, name="Hidden"))
    linked = Linked(client, f"/v1/api/{address}", "Worth")
    for ending in (".json", ".csv", ".html"):
        text = linked.read(ending).text
        assert "Secret" not in text and "Hidden" not in text and uid("Account", 1) not in text
        assert "7" in text
    assert [key for key, each in linked.read(".json").json.items() if isinstance(each, list)] == [
        name
    ]


def test_every_response_is_private_and_not_indexed(linked):
    for secret, ending in (
        (linked.secret, ".csv"),
        (linked.secret, ".html"),
        (linked.secret, ".pdf"),
        (UNKNOWN, ".csv"),
    ):
        answer = linked.read(ending, secret=secret)
        assert answer.headers["X-Robots-Tag"] == "noindex"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["Cache-Control"] in ("private, no-cache", "no-store")
        assert "Set-Cookie" not in answer.headers


def test_the_page_is_shown_in_frames_of_named_origins_only():
    settings = {"finance_api.storage": "memory"}
    for setting, ancestors in (("", "'none'"), ("https://a.example", "https://a.example")):
        service = Service("memory", {**settings, "finance_api.links.frame_ancestors": setting})
        linked = Linked(household(service.client()))
        answer = linked.read(".html")
        assert answer.headers["Content-Security-Policy"].endswith(f"frame-ancestors {ancestors}")
        assert "X-Frame-Options" not in answer.headers
        assert "<script" not in answer.text
        page = service.web.get("/settings/login")
        assert page.headers["Content-Security-Policy"].endswith("frame-ancestors 'none'")
        service.stop()


# -- when a category is gone


def test_a_question_about_a_category_that_is_gone_is_never_silently_empty(client):
    household(client)
    linked = Linked(client, "/v1/api/records?category=eq.Groceries")
    sentence = "No category is called Groceries"
    assert sentence in linked.read().json["hints"][0]
    for ending in (".csv", ".xlsx", ".rss"):
        answer = linked.read(ending)
        assert answer.status_int == 409
        assert sentence in answer.json["detail"]
    assert sentence in linked.read(".html").text


@on_one_storage
def test_a_question_that_the_api_now_refuses_says_so_without_its_parameters(client):
    linked = Linked(household(client))
    changes = {"address": "/v1/api/records?formerField=eq.Secret"}
    user_id = client.user.id
    linked.service.change(
        lambda s: s.users.update_owned(Question, linked.question.id, user_id=user_id, **changes)
    )
    for ending in (".json", ".csv", ".rss"):
        answer = linked.read(ending)
        assert answer.status_int == 409
        assert "its owner has to change it" in answer.json["detail"]
        assert "Secret" not in answer.text and "formerField" not in answer.text


# -- attacks


def assert_gone(linked, **options):
    """Check that the link is a 410 in every form, and says nothing else."""
    for ending in (".json", ".csv", ".html", ".pdf", ""):
        answer = linked.read(ending, **options)
        assert answer.status_int == 410
        assert answer.json["detail"] == "This link no longer works."
        assert "Bread" not in answer.text


def update_user(linked, **changes):
    linked.service.change(lambda s: s.users.update(linked.client.user.id, **changes))


def delete_question(linked):
    user_id = linked.client.user.id
    linked.service.change(lambda s: s.users.delete_question(user_id, linked.question.id))


def revoke(linked):
    now = linked.service.clock.now()
    (link,) = linked.links
    linked.service.change(lambda s: revoke_link(s, link, now))


ENDINGS = {
    "revoked": revoke,
    "a disabled user": lambda linked: update_user(linked, enabled=False),
    "a user without access to the API": lambda linked: update_user(linked, premium=False),
    "a deleted question": delete_question,
}


@pytest.mark.parametrize("reason", ENDINGS)
def test_a_link_that_has_ended_is_a_410_at_once(linked, reason):
    tag = linked.read().headers["ETag"]
    ENDINGS[reason](linked)
    assert_gone(linked)
    assert_gone(linked, If_None_Match=tag)


def test_a_link_expires_at_its_second(linked):
    now = linked.service.clock.now()
    linked.secret = linked.add(expires_at=now + 60)
    linked.service.clock.advance(59)
    assert linked.read().status_int == 200
    linked.service.clock.advance(1)
    assert_gone(linked)


def test_two_links_of_one_question_end_on_their_own(linked):
    first, second = linked.secret, linked.add("another")
    assert first != second
    revoked = linked.links[0] if linked.links[0].name == "sheet" else linked.links[1]
    linked.service.change(lambda s: revoke_link(s, revoked, linked.service.clock.now()))
    assert linked.read(secret=first).status_int == 410
    assert linked.read(secret=second).status_int == 200


def test_another_user_s_question_is_not_shown(linked):
    """The question that a link names must belong to the link's own user."""
    other = Linked(household(linked.service.client()), name="Theirs")
    foreign = other.question.id
    linked.question = other.question
    secret = linked.add("stolen")
    assert foreign in {link.question_id for link in linked.links}
    assert_gone(linked, secret=secret)


@on_one_storage
@pytest.mark.parametrize(
    "change",
    [
        lambda secret: UNKNOWN,
        lambda secret: secret[:-1],
        lambda secret: secret + "x",
        lambda secret: secret.swapcase(),
        lambda secret: secret.replace("finq_", ""),
        lambda secret: "",
        lambda secret: "%00",
        lambda secret: "' OR 1=1 --",
        lambda secret: "%c3%bc",
        lambda secret: "../" + secret,
        lambda secret: "x" * 7_000,
    ],
)
def test_a_wrong_secret_is_a_404_like_any_other(client, change):
    linked = Linked(household(client))
    answer = linked.read(secret=change(linked.secret))
    assert answer.status_int == 404
    assert answer.json["detail"] == "There is nothing at this path."


@pytest.mark.parametrize(
    ("way", "status", "title"),
    [
        ("unknown", 404, "Unknown link"),
        ("expired", 410, "This link has ended"),
        ("revoked", 410, "This link has ended"),
    ],
)
def test_people_get_a_page_for_a_link_without_an_answer(linked, way, status, title):
    secret = UNKNOWN
    if way == "expired":
        secret = linked.add(expires_at=linked.service.clock.now() + 1)
        linked.service.clock.advance(1)
    elif way == "revoked":
        secret, link = linked.secret, linked.links[0]
        linked.service.change(lambda s: revoke_link(s, link, linked.service.clock.now()))
    browser = {"Accept": BROWSER}
    # Browsers get a page at each address, and programs a problem document.
    for ending in ("", ".csv", ".json", ".xlsx", ".html"):
        answer = linked.read(ending, secret=secret, **browser)
        assert (answer.status_int, answer.content_type) == (status, "text/html")
        for accept in ("*/*", "text/csv", "application/json"):
            problem = linked.read(ending, secret=secret, Accept=accept)
            assert (problem.status_int, problem.content_type) == (status, PROBLEM)
    assert f"<h1>{title}</h1>" in answer.text
    assert "Ask the person who gave you this address" in answer.text
    sentence = "This link no longer works." if status == 410 else "There is nothing at this path."
    assert sentence in answer.text
    assert not any(text in answer.text for text in (secret, "Bread", "/settings/login", "<script"))
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("ending", ["", ".pdf", ".ics"])
def test_people_get_a_page_that_says_how_the_address_of_a_link_ends(linked, ending):
    answer = linked.read(ending, Accept=BROWSER)
    assert (answer.status_int, answer.content_type) == (404, "text/html")
    assert "<h1>This address has a wrong end</h1>" in answer.text
    assert ".csv, .xlsx, .json, .html and .rss" in answer.text
    assert "Ask the person" not in answer.text and linked.secret not in answer.text
    assert linked.read(ending).content_type == PROBLEM


@on_one_storage
def test_a_secret_that_is_not_utf_8_is_refused_like_any_such_path(client):
    assert Linked(household(client)).read(secret="%ff").status_int == 400


@on_one_storage
def test_a_token_in_an_address_is_no_secret_of_a_link(client):
    linked = Linked(household(client))
    assert linked.read(secret=client.token).status_int == 404
    assert linked.service.web.get(f"/v1/api/records?access_token={client.token}", status=400)
    headers = {"Authorization": f"Bearer {linked.secret}"}
    assert linked.service.web.get("/v1/api/records", headers=headers, status=401)
    # A valid token does not replace the secret of a link.
    assert linked.read(secret=UNKNOWN, Authorization=f"Bearer {client.token}").status_int == 404


@on_one_storage
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_a_link_can_only_be_read_and_an_unknown_one_stays_unknown(client, method):
    linked = Linked(household(client))
    for accept in ("*/*", "application/json", "text/html"):
        for ending in (".html", ".csv", ".ics"):
            answer = linked.read(ending, method=method, Accept=accept)
            assert (answer.status_int, answer.headers["Allow"]) == (405, "GET, HEAD")
            assert "predicate" not in answer.text
            unknown = linked.read(ending, secret=UNKNOWN, method=method, Accept=accept)
            assert (unknown.status_int, unknown.headers.get("Allow")) == (404, None)


def test_every_wrong_address_takes_the_same_work(linked, monkeypatch):
    """Counts queries instead of time: an unknown, a revoked and an expired link cost one each."""
    expired = linked.add(expires_at=linked.service.clock.now() + 1)
    revoked = linked.secret
    revoke_all = [link for link in linked.links if link.expires_at is None]
    linked.service.change(lambda s: revoke_link(s, revoke_all[0], linked.service.clock.now()))
    linked.service.clock.advance(1)
    calls = []
    read = linked.service.backend.read

    def counted(**options):
        storage = read(**options)
        for name in ("users", "data"):
            role = getattr(storage, name)
            for method in [m for m in dir(role) if m.startswith(("get", "list", "scan"))]:
                work = getattr(role, method)
                monkeypatch.setattr(
                    role,
                    method,
                    lambda *a, w=work, n=f"{name}.{method}", **k: (calls.append(n), w(*a, **k))[1],
                )
        return storage

    monkeypatch.setattr(linked.service.backend, "read", counted)
    statuses = {new_secret(): 404, UNKNOWN: 404, "x": 404, revoked: 410, expired: 410}
    for secret, status in statuses.items():
        calls.clear()
        assert linked.read(".csv", secret=secret).status_int == status
        assert calls == ["users.get_owner"], secret


# -- limits


@pytest.fixture(scope="module")
def usual():
    service = Service("memory", {"finance_api.storage": "memory", **USUAL_LIMITS})
    yield service
    service.stop()


def test_guesses_are_counted_for_each_address_like_wrong_tokens(usual):
    linked = Linked(household(usual.client()))
    guesses = [linked.read(secret=new_secret(), address="192.0.2.1").status_int for _ in range(31)]
    assert guesses == [404] * 30 + [429]
    page = linked.read(".csv", secret=new_secret(), address="192.0.2.1", Accept=BROWSER)
    assert (page.status_int, page.content_type) == (429, "text/html")
    assert "please try again in" in page.text and page.headers["Retry-After"]
    assert linked.read(secret=new_secret(), address="192.0.2.2").status_int == 404
    # Wrong secrets and wrong tokens share a bucket; a right secret still passes.
    wrong = usual.web.get("/v1/api/records", extra_environ={"REMOTE_ADDR": "192.0.2.1"}, status="*")
    assert wrong.status_int == 429
    assert linked.read(address="192.0.2.1").status_int == 200


def test_each_link_has_a_bucket_of_its_own(usual):
    linked = Linked(household(usual.client()))
    second = linked.add("second")
    statuses = [linked.read(".csv").status_int for _ in range(61)]
    assert statuses == [200] * 60 + [429]
    assert linked.read(secret=second).status_int == 200
    assert linked.client.get("records").status_int == 200
    usual.clock.advance(60)
    assert [linked.read(".csv").status_int for _ in range(2)] == [200, 429]


def test_what_is_unchanged_costs_nothing(usual):
    linked = Linked(household(usual.client()))
    tag = linked.read(".csv").headers["ETag"]
    for _ in range(80):
        assert linked.read(".csv", If_None_Match=tag).status_int == 304
    assert linked.read(".csv").headers["X-RateLimit-Remaining"] == "58"


@on_one_storage
@pytest.mark.nightly
def test_a_link_that_is_used_often_notes_its_last_use(linked):
    for _ in range(count(5, 10_000)):
        assert linked.read(".csv").status_int == 200
    linked.service.services.last_used_links.flush()
    (link,) = linked.links
    assert link.last_used_at == linked.service.clock.now()
