"""A user's requests to the public surface: counted, stored later, reported, and deleted."""

import pytest

from finance_api.auth.personal_tokens import issue_token
from finance_api.resources import PUBLIC_RESOURCES
from finance_api.storage.errors import StorageUnavailable
from finance_api.storage.interface import Token
from finance_api.values.time import parse_time
from support.native_rows import account, label, record
from support.programs import wait_until
from support.service import Client, Service

STATS = "api-usage/stats"
DAY = 86_400
LISTS = [str(r.path) for r in PUBLIC_RESOURCES]


def usage(client, period="1days", **headers):
    """Return the endpoint's document, after all counts are stored."""
    client.service.services.usage.flush()
    response = client.get(STATS, period=period, headers=headers)
    assert response.status_int == 200, response.text
    return response.json


def total(client, period="1days"):
    return usage(client, period)["total"]


def buckets(client, period):
    """Return (first day, requests) of each period with requests; checks the other values."""
    found = usage(client, period)
    assert found["total"] == sum(each["total"] for each in found["usage"])
    assert found["from"] <= min([each["from"] for each in found["usage"]], default=found["from"])
    assert found["to"] >= max([each["to"] for each in found["usage"]], default=found["to"])
    assert all(each["total"] > 0 and each["from"] < each["to"] for each in found["usage"])
    return [(each["from"], each["total"]) for each in found["usage"]]


def use(client, *times):
    """Send one request at each of the times."""
    for at in times:
        client.service.clock.set(at)
        assert client.get("labels").status_int == 200


def write(service, client, days):
    """Store numbers as if requests had been counted. days: {date: number}."""
    numbers = {(client.user.id, parse_time(f"{at}T00:00:00Z"), ""): n for at, n in days.items()}
    service.change(lambda storage: storage.usage.add(numbers))


@pytest.fixture
def make_service(new_settings):
    """Return a function that makes a service with other settings."""
    made = []

    def make(kind, settings=None, **options):
        chosen = {f"finance_api.{k.replace('__', '.')}": v for k, v in options.items()}
        made.append(Service(kind, {**(settings or new_settings(kind)), **chosen}))
        return made[-1]

    yield make
    for service in made:
        service.stop()


# -- what counts -------------------------------------------------------------------------------


def test_every_200_of_the_public_surface_counts(client):
    client.load(account(), record(), label())
    for count, path in enumerate(LISTS, 1):
        assert client.get(path).status_int == 200
        assert total(client) == count
    by_id = "00000004-0000-4000-8000-000000000001"
    assert client.get("records/by-id", id=by_id).status_int == 200
    assert client.get("records", headers={"Accept": "text/csv"}).status_int == 200
    assert client.get("records", headers={"Accept": "application/x-ndjson"}).status_int == 200
    web = client.service.web
    assert web.head("/v1/api/records", headers=client.headers).status_int == 200
    assert total(client) == len(LISTS) + 4


def test_what_is_not_a_200_does_not_count(service):
    client, poor, narrow = (
        service.client(),
        service.client(premium=False),
        service.client(scopes=["labels"]),
    )
    assert client.get("records", headers={"If-None-Match": "*"}).status_int == 304
    assert client.get("records", limit=0).status_int == 400
    assert client.get("records", headers={"Authorization": "Bearer x"}).status_int == 401
    assert client.get("nothing").status_int == 404
    assert client.get("records", headers={"Accept": "image/png"}).status_int == 406
    posted = service.web.post("/v1/api/records", headers=client.headers, status="*")
    assert posted.status_int == 405
    assert poor.get("records").status_int == narrow.get("records").status_int == 403
    # The usage endpoint in any spelling, the internal surface, health and other paths do not count
    # either.
    assert client.get(STATS).status_int == client.get("api-usage/st%61ts").status_int == 200
    assert service.web.head(f"/v1/api/{STATS}", headers=client.headers).status_int == 200
    assert client.internal("get-records").status_int == 200
    assert client.internal("get-docs", document_type="all").status_int == 200
    for path in ("/__version__", "/__heartbeat__", "/__lbheartbeat__"):
        assert service.web.get(path, headers=client.headers).status_int == 200
    assert service.web.get("/v1/apiary", headers=client.headers, status="*").status_int == 404
    service.change(lambda s: s.users.update(poor.user.id, premium=True))
    assert [total(each) for each in (client, poor, narrow)] == [0, 0, 0]


@pytest.mark.parametrize(("error", "status"), [(RuntimeError, 500), (StorageUnavailable, 503)])
def test_what_went_wrong_here_does_not_count(service, client, monkeypatch, error, status):
    def fail(*arguments, **options):
        raise error("x")

    with monkeypatch.context() as patch:
        patch.setattr("finance_api.api.listing.page_members", fail)
        assert client.get("records").status_int == status
    assert total(client) == 0


def test_a_throttled_request_does_not_count(make_service):
    service = make_service("memory", ratelimit__public="500/hour")
    client = service.client()
    assert [client.get("labels").status_int for _ in range(505)].count(200) == 500
    assert total(client) == 500


@pytest.mark.parametrize("kind", ["memory", "sqlite", "postgresql"])
def test_a_browser_s_preflight_is_answered_and_does_not_count(make_service, kind):
    service = make_service(kind, cors__origins="*")
    client = service.client()
    for headers in ({}, {"Authorization": "Bearer x"}, client.headers):
        preflight = service.web.request(
            "/v1/api/records",
            method="OPTIONS",
            headers={"Origin": "https://app.example.org", **headers},
            expect_errors=True,
        )
        assert preflight.status_int == 204
    assert total(client) == 0


def test_all_tokens_of_a_user_count_together_and_no_others(service, client):
    now = service.clock.now()
    text = service.change(lambda s: issue_token(s, client.user, name="second", now=now))
    second, other = Client(service, client.user, text), service.client()
    for each, times in ((client, 2), (second, 3), (other, 4)):
        for _ in range(times):
            assert each.get("labels").status_int == 200
    # A token's requests still count when it is revoked.
    tokens = service.change(lambda s: s.users.list_owned(Token, client.user.id))
    (revoked,) = [token for token in tokens if token.name == "second"]
    service.change(lambda s: s.users.revoke(Token, revoked.id, now))
    assert [total(each) for each in (client, other)] == [5, 4]


# -- how it gets into the storage --------------------------------------------------------------


class Away:
    """Makes all writes fail; reads go on."""

    def __init__(self, backend, monkeypatch):
        self.away = True
        self.tried = 0
        write = backend.write

        def refuse(tm, **options):
            if self.away:
                self.tried += 1
                raise StorageUnavailable("nobody can write now")
            return write(tm, **options)

        monkeypatch.setattr(backend, "write", refuse)


def test_a_write_that_fails_loses_no_number_and_fails_no_read(service, client, monkeypatch):
    services = service.services
    services.usage.flush()
    writing = Away(service.backend, monkeypatch)
    for _ in range(3):
        assert client.get("labels").status_int == 200
        with pytest.raises(StorageUnavailable):
            services.usage.flush()
        told = client.get(STATS)
        assert (told.status_int, told.json["total"]) == (200, 0)
    assert writing.tried >= 3
    assert client.get("labels").status_int == 200
    writing.away = False
    assert total(client) == 4


def test_numbers_are_written_soon_by_themselves(service, client):
    assert client.get("labels").status_int == 200
    wait_until(lambda: client.get(STATS, period="1days").json["total"] == 1)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_two_processes_on_one_database_add_up(make_service, new_settings, kind):
    settings = new_settings(kind)
    services = [make_service(kind, settings) for _ in range(2)]
    client = services[0].client()
    clients = [client, Client(services[1], client.user, client.token)]
    for turn in range(3):
        for each in clients:
            for _ in range(turn + 1):
                assert each.get("labels").status_int == 200
            each.service.services.usage.flush()
    assert [total(each) for each in clients] == [12, 12]


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_what_is_counted_is_written_at_the_end(make_service, new_settings, kind):
    settings = new_settings(kind)
    first = Service(kind, settings)
    client = first.client()
    for _ in range(7):
        assert client.get("labels").status_int == 200
    first.stop()
    second = make_service(kind, settings)
    assert total(Client(second, client.user, client.token)) == 7


def test_a_user_who_is_deleted_meanwhile_keeps_no_number_from_being_written(service):
    gone, stays = service.client(), service.client()
    for client in (gone, stays):
        assert client.get("labels").status_int == 200
    service.change(lambda s: s.users.delete(gone.user.id))
    assert total(stays) == 1
    assert gone.get("labels").status_int == 401
    service.services.usage.flush()
    now = service.clock.now()
    assert service.change(lambda s: s.usage.list_days(gone.user.id, 0, now + DAY)) == []
    # A new user begins with no requests.
    assert total(service.client()) == 0


def test_requests_count_on_the_utc_day_of_their_answer(client):
    use(client, "2026-03-16T23:59:59Z", "2026-03-17T00:00:00Z", "2026-03-17T23:59:59Z")
    client.service.clock.set("2026-03-18T12:00:00Z")
    assert buckets(client, "30days") == [("2026-03-16T00:00:00Z", 1), ("2026-03-17T00:00:00Z", 2)]


# -- how long it is kept -----------------------------------------------------------------------


def tidy(service):
    service.services.housekeeping._work()


def test_usage_is_kept_for_400_days(service, client):
    days = {"2025-02-10": 1, "2025-02-11": 2, "2025-02-12": 4, "2026-03-18": 8}
    write(service, client, days)
    # 400 days before the 18th of March 2026 is the 11th of February 2025.
    tidy(service)
    found = service.change(
        lambda s: s.usage.list_days(client.user.id, 0, service.clock.now() + DAY)
    )
    assert [count for _, count in found] == [2, 4, 8]
    service.clock.set("2026-03-18T23:59:59Z")
    tidy(service)
    service.clock.set("2026-03-19T00:00:00Z")
    tidy(service)
    found = service.change(lambda s: s.usage.list_days(client.user.id, 0, service.clock.now()))
    assert [count for _, count in found] == [4, 8]
    # The longest periods are kept in full.
    write(service, client, {"2025-03-01": 1, "2025-03-17": 2, "2025-03-18": 4, "2026-03-31": 8})
    service.clock.set("2026-03-31T12:00:00Z")
    tidy(service)
    found = buckets(client, "13months")
    assert found == [("2025-03-01T00:00:00Z", 7), ("2026-03-01T00:00:00Z", 16)]


def test_housekeeping_that_fails_fails_no_read(service, client, monkeypatch):
    Away(service.backend, monkeypatch)
    with pytest.raises(StorageUnavailable):
        tidy(service)
    assert client.get("labels").status_int == 200


# -- what is told ------------------------------------------------------------------------------


def test_the_answer_has_this_form(client):
    empty = usage(client, "53weeks")
    assert (empty["usage"], empty["total"]) == ([], 0)
    large = 2**40 + 3
    write(client.service, client, {"2026-03-17": large, "2026-03-18": large, "2026-02-17": 5})
    document = usage(client, "30days")
    quota = document.pop("rateLimit")
    assert document == {
        "period": "30days",
        "granularity": "daily",
        "from": "2026-02-17T00:00:00Z",
        "to": "2026-03-19T00:00:00Z",
        "total": 2 * large + 5,
        "usage": [
            {"from": "2026-02-17T00:00:00Z", "to": "2026-02-18T00:00:00Z", "total": 5},
            {"from": "2026-03-17T00:00:00Z", "to": "2026-03-18T00:00:00Z", "total": large},
            {"from": "2026-03-18T00:00:00Z", "to": "2026-03-19T00:00:00Z", "total": large},
        ],
    }
    assert set(quota) == {"limit", "remaining", "resetAt"}
    assert total(client, "1weeks") == 2 * large
    assert client.get(STATS).json == client.get(STATS, period="30days").json


@pytest.mark.parametrize(
    "period",
    ["0days", "367days", "366day", "54weeks", "14months", "007days", "30 days", "30", "days", ""]
    + ["-1days", "1years", "30days,1weeks", "9" * 100 + "days", "٣days", "eq.30days", "\x00"],
)
def test_what_is_no_period_is_400(client, period):
    response = client.get(STATS, period=period)
    assert response.status_int == 400
    assert response.headers["Content-Type"] == "application/problem+json"
    (fault,) = response.json["errors"]
    assert (fault["in"], fault["name"]) == ("query", "period")
    assert "53weeks" in fault["message"] or period == "\x00"
    assert response.headers["Cache-Control"] == "no-store"
    faults = client.get(STATS, period=[period, period], limit=1, perod="1days").json["errors"]
    assert {fault["name"] for fault in faults} == {"period", "limit", "perod"}
    assert "period" in next(fault["message"] for fault in faults if fault["name"] == "perod")


def test_it_is_json_only_and_kept_by_nobody(client):
    for accept in ("application/json", "*/*", "application/*"):
        response = client.get(STATS, headers={"Accept": accept})
        assert (response.status_int, response.content_type) == (200, "application/json")
        assert response.headers["Cache-Control"] == "no-store"
        assert response.headers["Vary"] == "Accept, Accept-Encoding, Authorization"
        assert "ETag" not in response.headers
    for accept in ("text/csv", "application/x-ndjson", "text/html", "application/json;q=0"):
        assert client.get(STATS, headers={"Accept": accept}).status_int == 406
    assert client.get(STATS, headers={"If-None-Match": "*"}).status_int == 200


def test_any_scope_will_do_and_premium_and_a_personal_token_are_needed(service):
    for scope in LISTS:
        assert service.client(scopes=[scope]).get(STATS).status_int == 200
    response = service.client(premium=False).get(STATS)
    assert response.status_int == 403
    assert "premium" in response.json["detail"]
    client = service.client()
    jwt = {"Authorization": f"Bearer {service.jwt(client.user)}"}
    assert client.get(STATS, headers=jwt).status_int == 401
    assert client.internal(STATS).status_int == 404
    assert service.web.get(f"/v1/api/{STATS}", status="*").status_int == 401


def test_the_quota_is_that_of_the_token_that_asks(make_service):
    service = make_service("memory", ratelimit__public="500/hour")
    client = service.client()
    now = service.clock.now()
    text = service.change(lambda s: issue_token(s, client.user, name="second", now=now))
    for _ in range(3):
        assert client.get("labels").status_int == 200
    assert usage(client)["rateLimit"] == {
        "limit": 500,
        "remaining": 497,
        # 3 x 7.2 seconds, rounded up.
        "resetAt": "2026-03-18T12:00:22Z",
    }
    assert usage(Client(service, client.user, text))["rateLimit"] == {
        "limit": 500,
        "remaining": 500,
        "resetAt": "2026-03-18T12:00:00Z",
    }
