"""Forged and faulty claims of JSON Web Tokens on the internal surface.

Every attack starts from an accepted token (see `Attacker.accepted`), so that nothing is refused for
another reason.
"""

import json

import pytest

from finance_api.auth.user_accounts import make_user
from support.jwt_attacks import IDP, LEEWAY, MAX_TTL, PATH, Attacker, assert_401
from support.service import Service


@pytest.mark.parametrize("name", ["exp", "iat", "iss", "aud", "sub", "jti"])
def test_each_claim_is_needed(attacker, name):
    payload = attacker.payload
    del payload[name]
    attacker.refused(attacker.token(payload))


@pytest.mark.parametrize("name", ["exp", "iat", "nbf"])
def test_a_time_of_another_type_is_refused(attacker, name):
    later = str(attacker.now + 600)
    attacker.accepted(attacker.written("exp", later))
    for value in (
        *(f'"{later}"', f"[{later}]", f'{{"a": {later}}}', f'"{later}.0"', f'" {later}"'),
        *("true", "false", "null", '""', "[]", "{}", "NaN", "Infinity", "-Infinity", '"NaN"'),
        *("1e400", "-1e400", "1e308", "9" * 400, "9" * 4_500, '"2030-01-01T00:00:00Z"'),
    ):
        assert_401(attacker.ask(attacker.written(name, value)))
    attacker.accepted()


@pytest.mark.parametrize("name", ["exp", "iat"])
def test_a_time_that_cannot_be_is_refused(attacker, name):
    for value in ("0", "-1", "-9999999999", "-1e308", "-" + "9" * 400, "0.0", "-0"):
        assert_401(attacker.ask(attacker.written(name, value)))
    attacker.accepted()


@pytest.mark.parametrize("name", ["iss", "aud", "sub", "jti"])
def test_a_text_of_another_type_is_refused(attacker, name):
    usual = json.dumps(attacker.payload[name])
    values = ["1", "0", "true", "false", "null", '""', "[]", "{}", "[null]", "1.5", "[[]]"]
    values += [f'{{"{name}": {usual}}}', f"[{usual}, 1]", f"[[{usual}]]", f"[{usual}, null]"]
    if name != "aud":
        values.append(f"[{usual}]")
    for value in values:
        assert_401(attacker.ask(attacker.written(name, value)))
    attacker.accepted()


def test_a_wrong_issuer_or_audience_is_refused(attacker):
    for name in ("iss", "aud"):
        for wrong in (
            *("x", "Finance_api", "FINANCE_API", "finance_api ", " finance_api", "finance_ap"),
            *(
                *("finance_api\0", "finance_api,x", "finance", "https://finance_api", "*", "%"),
                "\ud800",
            ),
        ):
            assert_401(attacker.ask(attacker.claims(**{name: wrong})))
    assert_401(attacker.ask(attacker.claims(aud=["x", "y"])))
    attacker.accepted()


def test_a_token_has_expired_at_the_exact_second(attacker):
    token = attacker.claims(exp=attacker.now + 60)
    clock = attacker.client.service.clock
    clock.advance(60 + LEEWAY - 1)
    attacker.accepted(token)
    clock.advance(1)
    attacker.refused(token, expired=True)
    clock.advance(10**8)
    attacker.refused(token, expired=True)


@pytest.mark.parametrize("name", ["iat", "nbf"])
def test_a_token_of_the_future_is_refused_beyond_the_leeway(attacker, name):
    attacker.accepted(attacker.claims(**{name: attacker.now + LEEWAY}))
    attacker.refused(attacker.claims(**{name: attacker.now + LEEWAY + 1}))


def test_a_life_longer_than_the_longest_is_refused(attacker):
    now = attacker.now
    attacker.accepted(attacker.claims(exp=now + MAX_TTL))
    attacker.refused(attacker.claims(exp=now + MAX_TTL + 1))
    attacker.refused(attacker.claims(iat=now - 1, exp=now + MAX_TTL))
    attacker.refused(attacker.claims(iat=now, exp=now))
    attacker.refused(attacker.claims(iat=now, exp=now - 1))


def test_the_subject_is_a_user_and_nothing_else(attacker):
    uuid, email = attacker.client.user.uuid, attacker.client.user.email
    for wrong in (
        *("00000000-0000-4000-8000-000000000000", email, str(attacker.client.user.id), "admin"),
        *(uuid.replace("-", ""), f"{{{uuid}}}", f"urn:uuid:{uuid}", f"{uuid} ", f"\n{uuid}"),
        *(f"{uuid}\0", "\0", "\ud800", f"{uuid}\ud800", "x" * 254, "x" * 5_000, "", "%", "_" * 36),
        *("' OR '1'='1", f"{uuid}' --", uuid[:-1], "..", "💰", uuid.replace("-", "\u2010")),
        uuid.translate(str.maketrans("0123456789", "０１２３４５６７８９")),
    ):
        assert_401(attacker.ask(attacker.claims(sub=wrong)))
    attacker.accepted()


def test_the_id_of_a_token_is_a_short_printable_text(attacker):
    for right in ("x", "x" * 254, "é", "😀", "a b", "'; DROP TABLE jwts; --", "%", "null"):
        attacker.accepted(attacker.claims(jti=right))
    for wrong in (
        *("\0", "a\0", "\ud800", "\udc00a", "", "x" * 255, "x" * 5_000, "\n", "a\tb", "\u2028"),
        *("\x7f", "\ufeff", "\u200b"),
    ):
        attacker.refused(attacker.claims(jti=wrong))
    attacker.refused(attacker.claims(jti="x" * 10_000))


def test_a_user_who_is_disabled_or_gone_is_refused(attacker):
    other = Attacker(attacker.client.service.client())
    change, user = other.client.service.change, other.client.user
    token = other.token()
    other.accepted(token)
    change(lambda s: s.users.update(user.id, enabled=False))
    attacker.refused(token)
    change(lambda s: s.users.update(user.id, enabled=True))
    other.accepted(token)
    change(lambda s: s.users.delete(user.id))
    attacker.refused(token)


# -- users by e-mail


def test_the_subject_may_be_an_e_mail_address_by_setting(issuer):
    user = issuer.client.user
    for right in (user.email, user.email.upper(), user.uuid, user.uuid.upper()):
        issuer.accepted(issuer.claims(sub=right))
        issuer.accepted(issuer.rs256(issuer.payload | {"sub": right, "iss": IDP}))


def test_an_e_mail_address_that_is_no_user_s_is_refused(issuer):
    email = issuer.client.user.email
    local, domain = email.split("@")
    for wrong in (
        *("nobody@example.org", "@", "@@", f"{email}@", f"{email}\0", f"x {email}", local),
        *(f"{email},a@b.org", f"<{email}>", f"{email}\n", "%@%", f"{local}@%", f"mailto:{email}"),
        *(f"{local}+x@{domain}", f"{local}@{domain}.", f"{local[:-1]}％@{domain}", "\ud800@a.org"),
        *("a" * 250 + "@b.org", "' OR 1=1 --@b.org", ""),
        # Normalised, these would be the user's address, but the issuer may mean somebody else.
        *(f" {email} ", f"{email} ", email.replace("e", "\x01e", 1), email.replace("s", "ſ", 1)),
    ):
        assert_401(issuer.ask(issuer.claims(sub=wrong)))
    issuer.accepted()


def test_a_deleted_user_s_jwt_does_not_open_the_next_one_s_data(issuer):
    service, clock = issuer.client.service, issuer.client.service.clock
    leaver = Attacker(service.client(), issuer.rsa_key)
    email = leaver.client.user.email
    token = leaver.rs256(leaver.payload | {"sub": email, "iss": IDP})
    leaver.accepted(token)
    service.change(lambda s: s.users.delete(leaver.client.user.id))
    clock.advance(1)
    made = service.change(
        lambda s: make_user(s, email, premium=True, password=None, now=clock.now())
    )
    issuer.refused(token)
    for at in (clock.now(), clock.now() + 1):
        new = issuer.payload | {"sub": email, "iss": IDP, "iat": at}
        issuer.accepted(issuer.rs256(new))
    # A UUID is never reused, so a JWT may be older than the user: an issuer's clock may be slow.
    issuer.accepted(issuer.claims(sub=made.uuid, iat=clock.now() - 1))


def test_the_memory_storage_s_user_is_older_than_any_jwt():
    """The user is created again at every start, but its JWTs stay valid."""
    settings = {
        "finance_api.storage": "memory",
        "finance_api.storage.memory.user": "anna@example.org",
        "finance_api.jwt.subject": "email",
    }
    service = Service("memory", settings)
    service.web.get("/__lbheartbeat__")
    anna = service.change(lambda s: s.users.get("anna@example.org"))
    at = service.clock.now() - 100
    token = service.jwt(anna, subject=anna.email, issued_at=at, expires_at=at + 1_000)
    headers = {"Authorization": f"Bearer {token}"}
    assert service.web.get(PATH, headers=headers).status_int == 200
    service.stop()


def test_without_the_setting_an_e_mail_address_is_no_subject(attacker):
    attacker.refused(attacker.claims(sub=attacker.client.user.email))
