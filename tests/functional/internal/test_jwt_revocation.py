"""Revoking JSON Web Tokens and personal tokens: from the next request on, in every process."""

import contextlib
from dataclasses import replace

import pytest
from webtest import TestApp

from finance_api.auth.jwts import Claims, issue_jwt, revoke_jwt, verify_jwt
from finance_api.auth.personal_tokens import IssueRefused
from finance_api.auth.user_accounts import revoke_all_jwts
from finance_api.services import make_housekeeping
from finance_api.storage.interface import Jwt, Token
from finance_api.values.ids import new_id
from support.service import Service, application, new_services

MAX_TTL = 2_592_000
LEEWAY = 5
HOUR, DAY = 3_600, 86_400


class Process:
    """A separate application on a storage that other applications use, too."""

    def __init__(self, settings, clock):
        self.app = application(settings, new_services(settings, clock))
        self.web = TestApp(self.app)

    def status(self, token, path="/internal/v1/get-records"):
        headers = {"Authorization": f"Bearer {token}"}
        return self.web.get(path, headers=headers, status="*", expect_errors=True).status_int

    def stop(self):
        self.app.registry.services.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def processes(request, new_settings):
    """A service, and a function that starts more processes on its database and key file."""
    settings = new_settings(request.param)
    service = Service(request.param, settings)
    limits = {
        "finance_api.ratelimit.public": "1000000/hour",
        "finance_api.ratelimit.internal": "100000/hour",
        "finance_api.ratelimit.failed_auth": "1000000/hour",
    }
    with contextlib.ExitStack() as stack:

        def start():
            keys = {"finance_api.jwt.keys": service.key_file}
            process = Process({**limits, **settings, **keys}, service.clock)
            stack.callback(process.stop)
            return process

        yield service, start
    service.stop()


def ask(client, token, path="/internal/v1/get-records"):
    headers = {"Authorization": f"Bearer {token}"}
    return client.service.web.get(path, headers=headers, status="*", expect_errors=True)


def status(client, token):
    return ask(client, token).status_int


def issue(client, ttl=3_600):
    service = client.service
    services = service.services

    def work(storage):
        user = storage.users.get(client.user.email)
        return issue_jwt(
            storage,
            user,
            keys=services.jwt_keys.keys(),
            rules=services.jwt_rules,
            now=service.clock.now(),
            ttl_seconds=ttl,
        )

    return service.change(work)[0]


def claims_of(client, token):
    services = client.service.services
    now = client.service.clock.now() + LEEWAY + 10
    return verify_jwt(token, services.jwt_keys.keys(), services.jwt_rules, now)


def revoke(client, jti):
    service = client.service
    rules = service.services.jwt_rules
    service.change(lambda s: revoke_jwt(s, jti, rules=rules, now=service.clock.now()))


def revoke_all(client):
    service = client.service
    service.change(lambda s: revoke_all_jwts(s, client.user.id, service.clock.now()))


def listed(client):
    return client.service.change(lambda s: s.users.list_owned(Jwt, client.user.id))


# -- one by one


def test_a_revoked_token_is_refused_from_the_next_request_on(client):
    one, other = issue(client), issue(client)
    assert status(client, one) == status(client, other) == 200
    revoke(client, claims_of(client, one).jti)
    answer = ask(client, one)
    assert answer.status_int == 401
    assert 'error="invalid_token"' in answer.headers["WWW-Authenticate"]
    assert "not valid" in answer.json["detail"]
    assert status(client, other) == 200


def test_a_revoked_token_is_refused_however_it_is_signed_again(client):
    """The jti is revoked, not the token's text."""
    jti = new_id()
    texts = [client.service.jwt(client.user, jti=jti)]
    texts.append(
        client.service.jwt(client.user, jti=jti, expires_at=client.service.clock.now() + 9)
    )
    assert {status(client, text) for text in texts} == {200}
    revoke(client, jti)
    assert {status(client, text) for text in texts} == {401}
    assert status(client, client.service.jwt(client.user, jti=jti.upper())) == 200


def test_a_conditional_request_does_not_get_past_a_revocation(client):
    token = issue(client)
    etag = ask(client, token).headers["ETag"]
    revoke(client, claims_of(client, token).jti)
    for value in (etag, "*"):
        headers = {"Authorization": f"Bearer {token}", "If-None-Match": value}
        path = "/internal/v1/get-records"
        assert client.service.web.get(path, headers=headers, status="*").status_int == 401


def test_a_token_of_elsewhere_is_revoked_before_it_was_ever_seen(client):
    token = client.service.jwt(client.user, jti="made elsewhere 1")
    revoke(client, "made elsewhere 1")
    assert status(client, token) == 401
    assert status(client, client.service.jwt(client.user, jti="made elsewhere 2")) == 200


def test_what_was_revoked_without_being_known_is_remembered_as_long_as_it_can_live(client):
    """Tests the token with the longest life that can exist when it is revoked."""
    clock, jti = client.service.clock, new_id()
    start = clock.now() + LEEWAY
    token = client.service.jwt(client.user, jti=jti, issued_at=start, expires_at=start + MAX_TTL)
    assert status(client, token) == 200
    revoke(client, jti)
    run_steadily(client)
    clock.advance(-HOUR)
    clock.advance(MAX_TTL + 2 * LEEWAY - 1)
    tidy(client)
    assert "not valid" in ask(client, token).json["detail"]
    same = client.service.jwt(client.user, issued_at=start, expires_at=start + MAX_TTL)
    assert status(client, same) == 200
    clock.advance(1)
    tidy(client)
    assert "expired" in ask(client, token).json["detail"]


def tidy(client):
    """Run the periodic clean-up."""
    client.service.services.housekeeping._work()


def run_steadily(client):
    """Let the service run long enough to trust the clock."""
    tidy(client)
    client.service.clock.advance(HOUR)
    tidy(client)


def test_a_revocation_is_forgotten_a_day_after_the_token_has_expired(client):
    token = issue(client, ttl=2 * HOUR)
    revoke(client, claims_of(client, token).jti)
    run_steadily(client)
    for seconds in (HOUR, LEEWAY - 1, DAY + 1):
        client.service.clock.advance(seconds)
        tidy(client)
        assert len(listed(client)) == 1
    client.service.clock.advance(1)
    tidy(client)
    assert listed(client) == []
    assert "expired" in ask(client, token).json["detail"]


@pytest.mark.parametrize("turns", [1, 3])
def test_a_clock_that_was_ahead_lets_no_revoked_token_in_again(client, turns):
    clock = client.service.clock
    token = issue(client, ttl=DAY)
    revoke(client, claims_of(client, token).jti)
    run_steadily(client)
    clock.jump(3 * DAY)
    for _ in range(turns):
        tidy(client)
        clock.advance(600)
    # Issuing and revoking do not make the service forget others, either.
    revoke(client, claims_of(client, issue(client)).jti)
    clock.jump(-3 * DAY)
    tidy(client)
    assert "not valid" in ask(client, token).json["detail"]


@pytest.mark.parametrize("days", [0.9, 3])
def test_a_process_that_starts_with_the_clock_ahead_forgets_nothing_at_once(client, days):
    token = issue(client, ttl=HOUR)
    revoke(client, claims_of(client, token).jti)
    clock = client.service.clock
    clock.jump(int(days * DAY))
    housekeeping = make_housekeeping(
        client.service.backend, clock, jwt_leeway_seconds=LEEWAY, audit_days=400, changes_days=400
    )
    housekeeping._work()
    if days < 1:
        clock.advance(HOUR)
        housekeeping._work()
        clock.jump(-HOUR)
    clock.jump(-int(days * DAY))
    assert "not valid" in ask(client, token).json["detail"]


# -- all of a user's


def test_all_tokens_of_a_user_are_revoked_up_to_that_second(client):
    now = client.service.clock.now()
    made = {at: client.service.jwt(client.user, issued_at=now + at) for at in (-1, 0, 1)}
    other = client.service.client()
    others = issue(other)
    assert {status(client, token) for token in made.values()} == {200}
    revoke_all(client)
    assert {at: status(client, token) for at, token in made.items()} == {-1: 401, 0: 401, 1: 200}
    assert status(other, others) == 200


def test_a_fraction_of_the_second_does_not_get_past_the_revocation_of_all(client):
    now = client.service.clock.now()
    revoke_all(client)
    assert status(client, client.service.jwt(client.user, issued_at=now + 0.9)) == 401
    assert status(client, client.service.jwt(client.user, issued_at=now + 1.0)) == 200


def test_a_token_that_is_issued_right_after_works(client):
    before = issue(client)
    revoke_all(client)
    after = issue(client)
    assert status(client, before) == 401
    assert status(client, after) == 200
    assert claims_of(client, after).issued_at == client.service.clock.now() + 1
    assert client.service.services.jwt_rules.leeway_seconds >= 1


def test_without_leeway_a_token_that_is_issued_right_after_works_a_second_later(new_settings):
    settings = {"finance_api.jwt.leeway_seconds": "0", **new_settings("memory")}
    client = Service("memory", settings).client()
    revoke_all(client)
    token = issue(client)
    assert status(client, token) == 401
    client.service.clock.advance(1)
    assert status(client, token) == 200


def test_revoking_all_twice_never_lets_anything_in_again(client):
    clock = client.service.clock
    first = issue(client)
    revoke_all(client)
    clock.advance(10)
    second = issue(client)
    revoke_all(client)
    clock.advance(-10)
    revoke_all(client)
    clock.advance(10)
    assert status(client, first) == status(client, second) == 401


def test_a_token_ends_with_its_key_at_the_latest(client):
    clock, services = client.service.clock, client.service.services
    for seconds, life in ((100, 100), (3_599, 3_599), (3_600, 3_600), (3_601, 3_600)):
        (key,) = services.jwt_keys.keys()
        keys = [replace(key, use_until=clock.now() + seconds)]
        token, _ = client.service.change(
            lambda storage, keys=keys: issue_jwt(
                storage,
                storage.users.get(client.user.email),
                keys=keys,
                rules=services.jwt_rules,
                now=clock.now(),
                ttl_seconds=3_600,
            )
        )
        assert claims_of(client, token).expires_at == clock.now() + life
        assert status(client, token) == 200


def test_no_token_is_issued_that_could_never_be_accepted(client):
    """The key ends one second after the user's tokens are revoked."""
    clock, services = client.service.clock, client.service.services
    (key,) = (replace(key, use_until=clock.now() + 1) for key in (*services.jwt_keys.keys(),))
    revoke_all(client)

    def work(storage):
        user = storage.users.get(client.user.email)
        rules = services.jwt_rules
        return issue_jwt(storage, user, keys=[key], rules=rules, now=clock.now(), ttl_seconds=60)

    with pytest.raises(IssueRefused):
        client.service.change(work)


# -- in every process


def test_a_revocation_holds_in_another_process_at_once(processes):
    service, start = processes
    client, there = service.client(), start()
    one, other = issue(client), issue(client)
    assert [there.status(token) for token in (one, other)] == [200, 200]
    revoke(client, claims_of(client, one).jti)
    assert [there.status(token) for token in (one, other)] == [401, 200]
    assert status(client, one) == 401
    revoke_all(client)
    assert [there.status(token) for token in (one, other)] == [401, 401]
    service.clock.advance(1)
    assert there.status(issue(client)) == 200


def test_a_revoked_personal_token_is_refused_by_another_process_at_once(processes):
    service, start = processes
    client, there = service.client(), start()
    path = "/v1/api/records"
    assert there.status(client.token, path) == client.get("records").status_int == 200
    (token,) = service.change(lambda s: s.users.list_owned(Token, client.user.id))
    service.change(lambda s: s.users.revoke(Token, token.id, service.clock.now()))
    assert there.status(client.token, path) == 401
    assert start().status(client.token, path) == client.get("records").status_int == 401


def test_the_claims_of_an_issued_token_are_noted(client):
    token = issue(client, ttl=100)
    claims, now = claims_of(client, token), client.service.clock.now()
    assert claims == Claims(client.user.uuid, claims.jti, now, now + 100)
    (noted,) = listed(client)
    assert (noted.jti, noted.issued_at, noted.expires_at) == (claims.jti, now, now + 100)
    assert noted.revoked_at is None
