"""Forged and faulty JSON Web Tokens on the internal surface: algorithms, keys, messages.

Every attack starts from an accepted token (see `Attacker.accepted`), so that nothing is refused for
another reason.
"""

import secrets
from base64 import b64encode

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from finance_api.storage.interface import Jwt
from support.jwt_attacks import IDP, PKCS1, SPKI, Attacker, assert_401, b64, segment

# -- what is right


def test_a_token_made_by_hand_is_as_good_as_one_made_here(attacker):
    attacker.accepted()
    assert attacker.client.internal("get-records").status_int == 200
    for typ in ("JWT", "at+jwt"):
        attacker.accepted(attacker.headers(typ=typ))
    attacker.accepted(attacker.token(header={"alg": "HS256", "kid": attacker.kid}))
    attacker.accepted(attacker.token(header={"alg": "HS256"}))


def test_the_audience_may_be_one_of_several(attacker):
    for right in (["finance_api"], ["x", "finance_api"]):
        attacker.accepted(attacker.claims(aud=right))


def test_the_subject_is_read_in_any_case(attacker):
    attacker.accepted(attacker.claims(sub=attacker.client.user.uuid.upper()))


def test_a_token_of_another_issuer_is_accepted_by_its_public_key(issuer):
    issuer.accepted(issuer.rs256())


def test_a_key_of_one_issuer_signs_for_no_other(issuer):
    for other in ("finance_api", "https://other.example.org", "https://unknown.example.org"):
        issuer.refused(issuer.rs256(issuer.payload | {"iss": other}))
    for other in (IDP, "https://other.example.org"):
        issuer.refused(issuer.claims(iss=other))


# -- the algorithm


NOT_SIGNED = (
    *("none", "None", "NONE", "nOnE", "noNE", "none ", " none", "none\0", "", "null"),
    *("n\u043ene", "ＮＯＮＥ", "HS", "plain"),
)


def test_a_token_that_says_it_is_not_signed_is_refused(attacker):
    _, _, signature = attacker.token().split(".")
    for alg in NOT_SIGNED:
        start = f"{segment(attacker.header | {'alg': alg})}.{segment(attacker.payload)}"
        for end in (".", "", ".AA", f".{signature}", "..", ".bm9uZQ"):
            assert_401(attacker.ask(start + end))
        attacker.refused(attacker.headers(alg=alg))
    attacker.refused(attacker.token(header={"typ": "JWT", "kid": attacker.kid}))


def test_a_signature_that_is_empty_null_or_left_out_is_refused(attacker):
    start, _, signature = attacker.token().rpartition(".")
    for end in ("", ".", ".A", ".AA", ".AAAA", f".{b64(bytes(32))}", f".{signature[:-2]}"):
        attacker.refused(start + end)


def test_a_changed_payload_under_the_old_signature_is_refused(attacker):
    other = attacker.client.service.client()
    header, _, signature = attacker.token().split(".")
    payload = segment(attacker.payload | {"sub": other.user.uuid})
    attacker.refused(f"{header}.{payload}.{signature}")


def test_the_public_key_is_no_secret(issuer):
    """Like the server, everybody knows the issuer's public key."""
    issuer.accepted(issuer.rs256())
    public = issuer.rsa_key.public_key()
    pems = [public.public_bytes(Encoding.PEM, form) for form in (SPKI, PKCS1)]
    ders = [public.public_bytes(Encoding.DER, form) for form in (SPKI, PKCS1)]
    ssh = public.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    guesses = [*pems, *ders, ssh, b64encode(ders[0]), b64(ders[0]).encode()]
    for pem in pems:
        guesses += [pem.strip(), pem + b"\n", pem.replace(b"\n", b"\r\n"), pem.replace(b"\n", b"")]
        guesses += [b"".join(pem.splitlines()[1:-1]), pem + b"\0", b64encode(pem)]
    for guess in guesses:
        for alg, digest in (("HS256", "sha256"), ("HS384", "sha384"), ("HS512", "sha512")):
            for kid in ({"kid": "idp"}, {"kid": issuer.kid}, {}):
                token = issuer.token(header={"alg": alg, **kid}, secret=guess, digest=digest)
                assert_401(issuer.ask(token))
    issuer.accepted(issuer.rs256())


def test_the_name_of_one_key_does_not_lead_to_another(issuer):
    issuer.refused(issuer.rs256(header={"alg": "RS256", "kid": issuer.kid}))
    issuer.refused(issuer.rs256(header={"alg": "HS256", "kid": "idp"}))
    issuer.refused(issuer.rs256(header={"alg": "PS256", "kid": "idp"}))
    issuer.refused(issuer.rs256(header={"alg": "RS512", "kid": "idp"}))
    issuer.refused(issuer.token(header={"alg": "HS256", "kid": "idp"}))
    issuer.refused(issuer.token(header={"alg": "RS256", "kid": issuer.kid}))
    issuer.refused(issuer.token(header={"alg": "RS256", "kid": "idp"}))
    # With two keys, the header must name one.
    issuer.refused(issuer.rs256(header={"alg": "RS256"}))
    issuer.refused(issuer.token(header={"alg": "HS256"}))


# -- where the key is found


@pytest.mark.parametrize("name", ["jku", "x5u", "jwk", "x5c", "crit", "b64"])
def test_a_token_that_brings_its_key_or_extensions_is_refused(issuer, name):
    """Such a token is refused even if its signature is right."""
    numbers = issuer.rsa_key.public_key().public_numbers()
    n = b64(numbers.n.to_bytes(256, "big"))
    values = [
        *("https://attacker.example/keys.json", "file:///dev/null", "", None, True, False, 1),
        *([], {}, ["exp"], ["b64"], ["alg"], ["jku"], ["x" * 100], {"kty": "oct", "k": "AA"}),
        {"kty": "RSA", "n": n, "e": "AQAB", "kid": "idp"},
    ]
    for value in values:
        assert_401(issuer.ask(issuer.headers(**{name: value})))
        header = {"alg": "RS256", "kid": "idp", name: value}
        assert_401(issuer.ask(issuer.rs256(header=header)))
    issuer.accepted()
    issuer.accepted(issuer.rs256())


# -- what is said, and where


def test_the_body_never_says_why(attacker):
    other = Attacker(attacker.client.service.client())
    change, now, jti = attacker.client.service.change, attacker.now, secrets.token_hex(8)
    revoked, disabled = attacker.claims(jti=jti), other.token()
    attacker.accepted(revoked)
    other.accepted(disabled)
    change(lambda s: s.users.add_owned(Jwt(jti, None, None, now + 9_999, revoked_at=now)))
    change(lambda s: s.users.update(other.client.user.id, enabled=False))
    tokens = [
        *(revoked, disabled, "x", "a.b.c", attacker.token(secret=b"x"), attacker.claims(iss="x")),
        *(attacker.headers(kid="x"), attacker.headers(alg="none"), attacker.claims(sub="x")),
        *(attacker.claims(aud=[]), attacker.headers(typ="x"), attacker.headers(crit=[])),
        *(attacker.claims(iat=attacker.now + 99), attacker.claims(exp=10**12)),
        attacker.client.token,
    ]
    answers = [attacker.ask(token) for token in tokens]
    for answer in answers:
        assert_401(answer)
    assert len({answer.body for answer in answers}) == 1
    assert len({answer.headers["WWW-Authenticate"] for answer in answers}) == 1
    said = answers[0].text.lower()
    assert not any(word in said for word in ("revoked", "disabled", "signature", "kid", "claim"))
    attacker.accepted()


def test_no_refusal_or_log_repeats_the_token(attacker, caplog):
    caplog.set_level("DEBUG", "finance_api")
    for token in (
        attacker.token(secret=b"x"),
        attacker.headers(kid="../x"),
        attacker.token() + "A",
    ):
        answer = attacker.ask(token)
        assert_401(answer)
        _, payload, signature = token.split(".")
        said = answer.text + str(answer.headers) + caplog.text
        assert not any(part in said for part in (payload, signature))


@pytest.mark.parametrize("path", ["get-records", "get-docs", "nope", "get-records?limit=0", ""])
def test_the_token_comes_before_every_other_fault(attacker, path):
    wrong = attacker.token(secret=b"wrong")
    assert_401(attacker.ask(wrong, path=f"/internal/v1/{path}"))
    assert attacker.ask(attacker.token(), path=f"/internal/v1/{path}").status_int != 401
