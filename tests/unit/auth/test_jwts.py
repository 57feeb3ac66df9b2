"""Verifying JSON Web Tokens: algorithms, keys and hostile text.

The attacks that one request shows are in tests/functional/internal/test_jwt_*.py.
"""

import hashlib
import hmac
import json

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import example, given
from hypothesis import strategies as st

from finance_api.auth.jwt_keys import JwtKey
from finance_api.auth.jwts import Claims, JwtRefused, JwtRules, verify_jwt
from support.jwt_attacks import segment
from support.jwt_keys import b64

NOW = 1_800_000_000
RULES = JwtRules(("finance_api", "idp"), "finance_api", max_ttl_seconds=7_200, leeway_seconds=5)
SECRET = hashlib.sha256(b"a secret of these tests").digest()
KEY = JwtKey("one", "HS256", SECRET)
HEADER = {"alg": "HS256", "typ": "JWT", "kid": "one"}
PAYLOAD = {
    "iss": "finance_api",
    "aud": "finance_api",
    "sub": "someone",
    "jti": "id",
    "iat": NOW,
    "exp": NOW + 3_600,
}


def token(payload=PAYLOAD, header=HEADER, key=SECRET, digest="sha256"):
    start = f"{segment(header)}.{segment(payload)}"
    return f"{start}.{b64(hmac.digest(key, start.encode(), digest))}"


def verify(text, keys=(KEY,), now=NOW, rules=RULES):
    return verify_jwt(text, keys, rules, now)


def refused(text, keys=(KEY,), now=NOW, rules=RULES):
    with pytest.raises(JwtRefused) as error:
        verify(text, keys, now, rules)
    assert error.type is JwtRefused
    assert str(error.value) == ""


def test_a_right_token_is_its_claims():
    assert verify(token()) == Claims("someone", "id", NOW, NOW + 3_600)


def signers():
    """Yield (key of ours, key that signs for it)."""
    pair = rsa.generate_private_key(65_537, 2_048)
    curve = ec.generate_private_key(ec.SECP256R1())

    def es256(data):
        r, s = decode_dss_signature(curve.sign(data, ec.ECDSA(SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    yield (
        JwtKey("k", "RS256", pair.public_key()),
        lambda data: pair.sign(data, padding.PKCS1v15(), SHA256()),
    )
    yield JwtKey("k", "ES256", curve.public_key()), es256
    for private in (ed25519.Ed25519PrivateKey.generate(), ed448.Ed448PrivateKey.generate()):
        yield JwtKey("k", "EdDSA", private.public_key()), private.sign
    yield JwtKey("k", "HS256", SECRET), lambda data: hmac.digest(SECRET, data, "sha256")


def test_each_algorithm_verifies_its_own_signatures_and_no_others():
    made = list(signers())
    for key, sign in made:
        for said in ("RS256", "ES256", "EdDSA", "HS256", "PS256", "ES384", "HS384", "none"):
            start = f"{segment({'alg': said, 'kid': 'k'})}.{segment(PAYLOAD)}"
            text = f"{start}.{b64(sign(start.encode()))}"
            for other, _ in made:
                if other is key and said == key.algorithm:
                    assert verify(text, [other]).subject == "someone"
                else:
                    refused(text, [other])


def test_a_key_that_pyjwt_does_not_take_refuses_the_token():
    public = ed25519.Ed25519PrivateKey.generate().public_key()
    for encoding in (Encoding.DER, Encoding.PEM):
        data = public.public_bytes(encoding, PublicFormat.SubjectPublicKeyInfo)
        refused(token(key=data), [JwtKey("one", "HS256", data)])


# -- which key


def test_without_a_name_the_only_key_in_use_counts():
    other = JwtKey("two", "HS256", hashlib.sha256(b"two").digest())
    nameless = token(header={"alg": "HS256"})
    assert verify(nameless)
    refused(nameless, [KEY, other])
    refused(nameless, [])
    ended = JwtKey("two", "HS256", other.material, use_until=NOW)
    assert verify(nameless, [KEY, ended])
    refused(nameless, [KEY, ended], NOW - 1)


def test_a_key_out_of_use_refuses_at_the_exact_second():
    key = JwtKey("one", "HS256", SECRET, use_from=NOW, use_until=NOW + 10)
    # A key may be used up to the leeway before its start, but never after its end.
    for now, accepted in ((NOW - 6, False), (NOW - 5, True), (NOW + 9, True), (NOW + 10, False)):
        if accepted:
            assert verify(token(), [key], now)
        else:
            refused(token(), [key], now)


# -- the times


def at(**claims):
    return token(PAYLOAD | claims)


def test_only_what_was_right_once_is_said_to_have_expired():
    late = NOW + 10_000
    refused(token(key=b"x" * 32), now=late)
    refused(at(iss="other"), now=late)
    refused(at(aud="other"), now=late)
    refused(at(jti=""), now=late)
    refused(at(exp=NOW + 7_201), now=late)


def test_fractions_of_a_second_are_dropped():
    assert verify(at(iat=NOW + 0.9, exp=NOW + 60.9)) == Claims("someone", "id", NOW, NOW + 60)
    assert verify(at(exp=float(NOW + 60)))
    assert verify(token(json.dumps(PAYLOAD).replace(str(NOW + 3_600), "1800003600e0")))


# -- the text


def test_a_member_that_is_written_twice_is_refused():
    text = json.dumps(PAYLOAD)
    for name in PAYLOAD:
        again = f'{{"{name}": {json.dumps(PAYLOAD[name])}, '
        refused(token(again + text[1:]))
    refused(token(text[:-1] + ', "x": {"a": 1, "a": 1}}'))
    refused(token(text[:-1] + ', "\\u0065xp": 1}'))
    for name in HEADER:
        again = f'{{"{name}": {json.dumps(HEADER[name])}, '
        refused(token(header=again + json.dumps(HEADER)[1:]))
    assert verify(token(text[:-1] + ', "x": {"exp": 1}, "EXP": 1}'))


def test_deeply_nested_json_is_refused_or_read_but_never_breaks():
    for depth in (10, 100, 900, 5_000, 100_000):
        inside = "[" * depth + "]" * depth
        text = token(json.dumps(PAYLOAD)[:-1] + f', "x": {inside}}}')
        try:
            assert verify(text).jti == "id"
        except JwtRefused:
            assert depth >= 900


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "01", "+1", "1.", "0x1", "'a'"])
def test_what_json_does_not_know_is_refused_in_any_claim(value):
    refused(token(json.dumps(PAYLOAD)[:-1] + f', "x": [{value}]}}'))


def test_spare_bits_at_the_end_of_a_segment_are_none():
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    for text in (token(), token(PAYLOAD | {"x": "a"}), token(PAYLOAD | {"x": "ab"})):
        segments = text.split(".")
        for number, part in enumerate(segments):
            if len(part) % 4 == 0:
                continue
            for spare in (1, 2, 3):
                position = digits.index(part[-1])
                if position // 4 != (position + spare) // 4:
                    continue
                changed = [*segments]
                changed[number] = part[:-1] + digits[position + spare]
                refused(".".join(changed))


@given(st.text(max_size=200))
def test_any_text_is_refused_and_nothing_else_happens(text):
    refused(text)


@given(st.binary(max_size=100), st.binary(max_size=100))
def test_any_signed_bytes_are_refused_and_nothing_else_happens(header, payload):
    refused(token(payload))
    refused(token(header=header))


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)


@given(st.sampled_from(sorted(PAYLOAD) + ["nbf"]), _json)
@example("aud", PAYLOAD["aud"])
@example("sub", "ü")
@example("nbf", NOW)
def test_only_values_of_the_right_kind_are_accepted_in_a_claim(name, value):
    kinds = {"aud": str | list, "iss": str, "sub": str, "jti": str}
    try:
        claims = verify(at(**{name: value}))
    except JwtRefused:
        assert (name, value) not in [*PAYLOAD.items(), ("sub", "ü"), ("nbf", NOW)]
        return
    # A NumericDate may have a fraction (RFC 7519).
    assert isinstance(value, kinds.get(name, int | float)), (name, value)
    assert isinstance(claims.subject, str)
    assert isinstance(claims.jti, str)
    assert type(claims.issued_at) is type(claims.expires_at) is int


@given(st.sampled_from(sorted(HEADER)), _json)
@example("alg", HEADER["alg"])
@example("kid", HEADER["kid"])
@example("typ", "at+jwt")
def test_only_the_right_values_are_accepted_in_a_header(name, value):
    text = token(header=HEADER | {name: value})
    if value == HEADER[name] or (name, value) == ("typ", "at+jwt"):
        assert verify(text).subject == PAYLOAD["sub"]
    else:
        refused(text)
