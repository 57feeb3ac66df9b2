"""Making and verifying JSON Web Tokens; the tokens of these tests are made by hand."""

import hashlib
import hmac
import json
import threading
from base64 import urlsafe_b64encode

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st

from finance_api.auth.jwt_keys import JwtKey
from finance_api.auth.jwts import (
    MAX_ID_CHARACTERS,
    Claims,
    JwtExpired,
    JwtRefused,
    JwtRules,
    sign_jwt,
    verify_jwt,
)

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


def b64(data):
    return urlsafe_b64encode(data).decode().rstrip("=")


def segment(value):
    """value: bytes, JSON text, or what becomes JSON."""
    if not isinstance(value, bytes | str):
        value = json.dumps(value)
    return b64(value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value)


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


def without(name):
    return {k: v for k, v in PAYLOAD.items() if k != name}


def test_a_right_token_is_its_claims():
    assert verify(token()) == Claims("someone", "id", NOW, NOW + 3_600)


def test_what_is_signed_here_is_verified_here():
    claims = Claims("someone", "id", NOW, NOW + 60)
    text = sign_jwt(KEY, RULES, claims)
    assert verify(text) == claims
    refused(text, [JwtKey("one", "HS256", hashlib.sha256(b"another").digest())])


def signers():
    """(key of ours, what signs for it)"""
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


def test_an_ecdsa_signature_in_der_or_of_zeros_is_refused():
    curve = ec.generate_private_key(ec.SECP256R1())
    key = JwtKey("k", "ES256", curve.public_key())
    start = f"{segment({'alg': 'ES256'})}.{segment(PAYLOAD)}"
    order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    r, s = decode_dss_signature(curve.sign(start.encode(), ec.ECDSA(SHA256())))

    def pair(*numbers):
        return b"".join(n.to_bytes(32, "big") for n in numbers)

    assert verify(f"{start}.{b64(pair(r, s))}", [key])
    # The other solution for s is a right signature too: a token is known by its jti alone.
    assert verify(f"{start}.{b64(pair(r, order - s))}", [key])
    for wrong in (
        curve.sign(start.encode(), ec.ECDSA(SHA256())),
        *(pair(a, b) for a in (0, 1, order) for b in (0, 1, order)),
        *(pair(0, s), pair(r, 0), pair(s, r), pair(r, s)[:-1], pair(r, s) + b"\0"),
        b"\0" + pair(r, s),
        b"",
    ):
        refused(f"{start}.{b64(wrong)}", [key])


def test_a_public_key_is_no_hmac_secret():
    pair = rsa.generate_private_key(65_537, 2_048)
    public = pair.public_key()
    keys = [JwtKey("rs", "RS256", public), KEY]
    for form in (PublicFormat.SubjectPublicKeyInfo, PublicFormat.PKCS1):
        for encoding in (Encoding.PEM, Encoding.DER):
            data = public.public_bytes(encoding, form)
            for secret in (data, data.strip(), data + b"\n", data.replace(b"\n", b"\r\n")):
                for header in ({"alg": "HS256", "kid": "rs"}, {"alg": "HS256"}):
                    refused(token(header=header, key=secret), keys)
                    refused(token(header=header, key=secret), keys[:1])


def test_a_key_that_pyjwt_does_not_take_refuses_the_token():
    public = ed25519.Ed25519PrivateKey.generate().public_key()
    for encoding in (Encoding.DER, Encoding.PEM):
        data = public.public_bytes(encoding, PublicFormat.SubjectPublicKeyInfo)
        refused(token(key=data), [JwtKey("one", "HS256", data)])


# -- which key


def test_the_key_is_found_by_its_name():
    other = JwtKey("two", "HS256", hashlib.sha256(b"two").digest())
    assert verify(token(), [other, KEY])
    refused(token(header=HEADER | {"kid": "two"}), [other, KEY])
    refused(token(header=HEADER | {"kid": "three"}), [other, KEY])


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
    # Who signed with it may be ahead by the leeway; at its end there is none.
    for now, accepted in ((NOW - 6, False), (NOW - 5, True), (NOW + 9, True), (NOW + 10, False)):
        if accepted:
            assert verify(token(), [key], now)
        else:
            refused(token(), [key], now)


@pytest.mark.parametrize("kid", [None, 1, True, [], ["one"], {}, {"one": 1}, "", "ONE", "one "])
def test_a_name_that_is_not_the_key_s_is_refused(kid):
    refused(token(header=HEADER | {"kid": kid}))


# -- the times


def at(**claims):
    return token(PAYLOAD | claims)


def test_a_token_ends_at_the_exact_second_with_leeway():
    text = at(exp=NOW + 100)
    assert verify(text, now=NOW + 104)
    for now in (NOW + 105, NOW + 106, NOW + 10**9):
        with pytest.raises(JwtExpired):
            verify(text, now=now)
    exact = JwtRules(("finance_api",), "finance_api", 7_200, 0)
    assert verify(text, now=NOW + 99, rules=exact)
    with pytest.raises(JwtExpired):
        verify(text, now=NOW + 100, rules=exact)


def test_only_what_was_right_once_is_said_to_have_expired():
    late = NOW + 10_000
    refused(token(key=b"x" * 32), now=late)
    refused(at(iss="other"), now=late)
    refused(at(aud="other"), now=late)
    refused(at(jti=""), now=late)
    refused(at(exp=NOW + 7_201), now=late)


@pytest.mark.parametrize("claim", ["iat", "nbf"])
def test_a_token_of_the_future_is_refused_beyond_the_leeway(claim):
    text = at(**{claim: NOW + 50})
    assert verify(text, now=NOW + 45)
    refused(text, now=NOW + 44)


def test_a_life_longer_than_the_longest_is_refused():
    assert verify(at(exp=NOW + 7_200))
    refused(at(exp=NOW + 7_201))
    refused(at(iat=NOW - 1, exp=NOW + 7_200))
    assert verify(at(iat=NOW - 7_199, exp=NOW + 1))
    refused(at(iat=0, exp=NOW + 1))
    refused(at(iat=-(10**30), exp=NOW + 1))
    refused(at(exp=10**30))


@pytest.mark.parametrize("exp", [NOW, NOW - 1, NOW - 1_000, 0, -1, -(10**300)])
def test_a_token_that_ends_before_it_begins_is_refused(exp):
    refused(at(exp=exp))


def test_fractions_of_a_second_are_dropped():
    assert verify(at(iat=NOW + 0.9, exp=NOW + 60.9)) == Claims("someone", "id", NOW, NOW + 60)
    assert verify(at(exp=float(NOW + 60)))
    assert verify(token(json.dumps(PAYLOAD).replace(str(NOW + 3_600), "1800003600e0")))


# -- the claims


@pytest.mark.parametrize("name", PAYLOAD)
def test_each_claim_is_needed(name):
    refused(token(without(name)))
    refused(at(**{name: None}))


NO_TEXT = ("1", "true", "null", "[]", "{}", '""', '["someone"]', '{"a": 1}', "0", "1.5", "false")
NO_NUMBER = (
    *('"1800000000"', "true", "false", "null", "[]", "{}", '""', "NaN", "Infinity", "-Infinity"),
    *("1e400", "-1e400", "[1800000000]", '"1800000000.0"', "9" * 5_000, '"NaN"'),
)


@pytest.mark.parametrize("value", NO_TEXT)
@pytest.mark.parametrize("name", ["sub", "jti", "iss", "aud"])
def test_a_text_claim_of_another_type_is_refused(name, value):
    refused(token(json.dumps(PAYLOAD | {name: "@"}).replace('"@"', value)))


@pytest.mark.parametrize("value", NO_NUMBER, ids=lambda v: v[:20])
@pytest.mark.parametrize("name", ["exp", "iat", "nbf"])
def test_a_time_claim_of_another_type_is_refused(name, value):
    refused(token(json.dumps(PAYLOAD | {name: "@"}).replace('"@"', value)))


@pytest.mark.parametrize("name", ["sub", "jti"])
def test_a_name_is_a_short_printable_text(name):
    for value in ("x", "é", "x" * MAX_ID_CHARACTERS, "a b", "😀", "'; DROP TABLE users; --"):
        assert value in (verify(at(**{name: value})).subject, verify(at(**{name: value})).jti)
    for value in ("", "x" * (MAX_ID_CHARACTERS + 1), "x" * 10_000):
        if len(value) < 5_000:
            refused(at(**{name: value}))
    for bad in ("\0", "\n", "\x7f", "\x85", "\u2028", "\u200b", "\ufeff", "\ue000", "\ud800"):
        for value in (bad, "a" + bad, bad + "a", "a" + bad + "a"):
            refused(at(**{name: value}))
            if bad != "\ud800":
                refused(token(json.dumps(PAYLOAD | {name: value}, ensure_ascii=False)))


def test_a_key_verifies_for_its_own_issuer_alone():
    """Before: for any of the settings' issuers, so that an identity provider's key spoke for us."""
    theirs = JwtKey("one", "HS256", SECRET, issuer="idp")
    assert verify(at(iss="idp"), [theirs])
    for wrong in ("finance_api", "other", "", ["idp"]):
        refused(at(iss=wrong), [theirs])
    assert verify(at(iss="finance_api"))
    for wrong in ("idp",):
        refused(at(iss=wrong))


def test_the_issuer_is_exactly_the_key_s():
    for wrong in ("", "IDP", "idp ", "idp,finance_api", "finance_ap", ["idp"], "fin", {"idp": 1}):
        refused(at(iss=wrong))


def test_the_audience_may_be_one_of_several():
    for right in (["finance_api"], ["a", "finance_api"], ["finance_api"] * 3):
        assert verify(at(aud=right))
    for wrong in (
        *("", "other", "finance_api ", "FINANCE_API", "finance", "finance_api,other"),
        *([], ["other"], [["finance_api"]], ["finance_api", 1], ["finance_api", None]),
        *(["finance_api", ["x"]], {"finance_api": 1}, [True], 1),
    ):
        refused(at(aud=wrong))


def test_more_claims_change_nothing():
    more = {"scope": "admin", "": 1, "é": {"a": [1, {"b": None}]}, "premium": True, "cty": "JWT"}
    assert verify(at(**more)) == verify(token())


# -- the header


def test_the_type_is_that_of_a_token():
    for right in ("JWT", "at+jwt"):
        assert verify(token(header=HEADER | {"typ": right}))
    assert verify(token(header={"alg": "HS256"}))
    for wrong in (
        None,
        "",
        "jwt",
        "Jwt",
        "JWS",
        "JOSE",
        "dpop+jwt",
        "application/at+jwt",
        "at+JWT",
    ):
        refused(token(header=HEADER | {"typ": wrong}))
    for wrong in (1, True, ["JWT"], {"JWT": 1}):
        refused(token(header=HEADER | {"typ": wrong}))


@pytest.mark.parametrize("name", ["jku", "jwk", "x5u", "x5c", "crit", "b64"])
def test_a_header_that_asks_for_more_is_refused(name):
    for value in (None, "", "x", [], ["exp"], ["b64"], {}, True, False, 1, "https://a.example/"):
        refused(token(header=HEADER | {name: value}))


def test_other_headers_change_nothing():
    more = {"cty": "JWT", "x": [1], "x5t": "abc", "zip": "DEF", "enc": "A128GCM", "": None}
    assert verify(token(header=HEADER | more))


@pytest.mark.parametrize(
    "alg",
    [
        *("none", "None", "NONE", "nOnE", "", " none", "none\0", "nonе", "null"),
        *("hs256", "Hs256", "HS256 ", " HS256", "HS256\0", "HS384", "HS512", "RS256", "ES256"),
        *(None, 0, True, False, [], {}, ["HS256"], {"HS256": 1}, 256),
    ],
)
def test_an_algorithm_that_is_not_the_key_s_is_refused(alg):
    header = HEADER | {"alg": alg}
    for digest in ("sha256", "sha384", "sha512"):
        refused(token(header=header, digest=digest))
    start = f"{segment(header)}.{segment(PAYLOAD)}"
    for end in (".", "", "..", ".AA"):
        refused(start + end)


def test_an_algorithm_is_needed():
    refused(token(header={"typ": "JWT", "kid": "one"}))


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


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"null", b"1", b"[]", b'"x"', b"{", b"{}x", b"\xff", b"\xef\xbb\xbf{}", b"{}\0"),
        *(b"{'a': 1}", b'{"a": 01}', b'{"a": NaN}', b'{"a": \x01}', b"{a: 1}", b"{},"),
        *(b"[" * 3_000, b'{"a":' * 1_500, json.dumps(PAYLOAD).encode("utf-16")),
        *(json.dumps(PAYLOAD).encode("utf-32"), b"\xef\xbb\xbf" + json.dumps(PAYLOAD).encode()),
    ],
    ids=lambda c: repr(c[:12]),
)
def test_a_segment_that_is_no_json_object_is_refused(content):
    refused(token(content))
    refused(token(header=content))


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


def test_white_space_within_the_json_is_allowed():
    assert verify(token(json.dumps(PAYLOAD, indent=4), json.dumps(HEADER, indent=1)))


def test_only_one_text_is_the_token():
    good = token()
    assert verify(good)
    header, payload, signature = good.split(".")
    for wrong in (
        *(good + end for end in ("=", "==", ".", "..", " ", "\n", "\0", "A", ".A", "%3D", "\r\n")),
        *(start + good for start in (" ", "\n", ".", "=", "A", "\ufeff")),
        *(f"{header}={'='}.{payload}.{signature}", f"{header}.{payload}=.{signature}"),
        *(f"{header}.{payload}.{signature}.{signature}", f"{header}..{signature}"),
        *(f"{header}.{payload}", f"{header}.{payload}.", f".{payload}.{signature}", ".", "..", ""),
        *(good.replace(".", ","), good.replace(".", ". "), good.upper(), good.lower()),
        *(f"{header}\n.{payload}.{signature}", f"{header}.{payload}.{signature[:-1]}"),
        *(f"{payload}.{header}.{signature}", f"{header}.{header}.{signature}"),
        good.replace("-", "+").replace("_", "/") + "=",
        good[:10] + "\u00e9" + good[10:],
        good[:10] + "\u212a" + good[10:],
    ):
        refused(wrong)


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


def test_no_bit_of_the_signature_may_differ():
    start, _, _ = token().rpartition(".")
    right = hmac.digest(SECRET, start.encode(), "sha256")
    for bit in range(256):
        wrong = bytearray(right)
        wrong[bit // 8] ^= 1 << bit % 8
        refused(f"{start}.{b64(wrong)}")
    for wrong in (right[:-1], right[1:], right[:16], right + b"\0", right * 2, b"\0" * 32, b"\0"):
        refused(f"{start}.{b64(wrong)}")


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
def test_any_value_of_a_claim_is_accepted_or_refused(name, value):
    try:
        claims = verify(at(**{name: value}))
    except JwtRefused:
        return
    assert isinstance(claims.subject, str)
    assert isinstance(claims.jti, str)
    assert type(claims.issued_at) is type(claims.expires_at) is int


@given(st.sampled_from(sorted(HEADER)), _json)
def test_any_value_of_a_header_is_accepted_or_refused(name, value):
    if value != HEADER[name]:
        assert not (name == "typ" and value == "at+jwt")
        refused(token(header=HEADER | {name: value}))


def test_many_threads_may_verify_at_once():
    results = []

    def work():
        for _ in range(50):
            results.append(verify(token()).jti)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == ["id"] * 200
