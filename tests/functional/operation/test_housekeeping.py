"""The JSON Web Tokens that the clean-up deletes, and those it keeps."""

from finance_api.storage.interface import Jwt

DAY = 86_400


def tidy(service):
    service.services.housekeeping._work()


def test_expired_json_web_tokens_are_forgotten_and_revoked_ones_not_before(service, client):
    # The clock is trusted when it has been steady for an hour.
    tidy(service)
    service.clock.advance(3_600)
    now = service.clock.now()
    past = now - 5 - DAY
    # JWTs that are deleted now, a second later, and not before they expire.
    for jti, expires_at, revoked_at in (
        (f"over-{client.user.id}", past - 1, None),
        (f"revoked-{client.user.id}", past, past - 100),
        (f"valid-{client.user.id}", now + 100, None),
    ):
        one = Jwt(jti, client.user.id, past - 1_000, expires_at, revoked_at)
        service.change(lambda s, one=one: s.users.add_owned(one))
    tidy(service)

    def kept():
        jwts = service.change(lambda s: s.users.list_owned(Jwt, client.user.id))
        return sorted(jwt.jti.partition("-")[0] for jwt in jwts)

    assert kept() == ["revoked", "valid"]
    service.clock.advance(1)
    tidy(service)
    assert kept() == ["valid"]


def test_a_revoked_json_web_token_is_refused_before_and_after_it_is_forgotten(service, client):
    jti = f"stolen-{client.user.id}"
    jwt = service.jwt(client.user, jti=jti)
    header = {"Authorization": f"Bearer {jwt}"}
    assert client.internal("get-records", headers=header).status_int == 200
    now = service.clock.now()
    service.change(lambda s: s.users.add_owned(Jwt(jti, client.user.id, now, now + 3_600)))
    service.change(lambda s: s.users.revoke(Jwt, jti, now))
    # Times after the expiry: within the leeway, at its end, and after it.
    for seconds in (0, 3_600, 4, 1, 1, 100_000):
        service.clock.advance(seconds)
        tidy(service)
        assert client.internal("get-records", headers=header).status_int == 401
