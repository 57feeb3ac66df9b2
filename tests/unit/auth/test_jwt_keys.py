"""The file with the keys that sign and verify JSON Web Tokens."""

import hashlib
import json
from base64 import b64encode

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa, x25519
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt import get_algorithm_by_name

from finance_api.auth.jwt_keys import MIN_BYTES, JwtKey, read_key_file, signing_key
from support.jwt_keys import OTHER_SECRET, SECRET, b64, hs, key_set, public_jwk, refusal

# -- what is read


def test_keys_are_read_in_the_order_of_the_file(key_file):
    one, two = read_key_file(key_file([hs("b"), hs("a", OTHER_SECRET)]))
    assert (one.kid, one.algorithm, b64(one.material)) == ("b", "HS256", SECRET)
    assert (two.kid, two.algorithm, b64(two.material)) == ("a", "HS256", OTHER_SECRET)


def test_public_keys_are_read(key_file, rsa_key):
    made = [
        ("RS256", rsa_key),
        ("ES256", ec.generate_private_key(ec.SECP256R1())),
        ("EdDSA", ed25519.Ed25519PrivateKey.generate()),
        ("EdDSA", ed448.Ed448PrivateKey.generate()),
    ]
    entries = [public_jwk(key, name, str(number)) for number, (name, key) in enumerate(made)]
    for key, (name, private) in zip(read_key_file(key_file(entries)), made, strict=True):
        assert (key.algorithm, key.material) == (name, private.public_key())


def test_members_that_other_programs_need_are_ignored(key_file, rsa_key):
    entry = public_jwk(rsa_key, "RS256") | {"x5t": "x", "use": "sig", "key_ops": ["verify"]}
    assert len(read_key_file(key_file([entry]))) == 1


def test_times_are_seconds(key_file):
    (key,) = read_key_file(key_file([hs(nbf=60, exp=3_600)]))
    assert (key.use_from, key.use_until) == (60, 3_600)
    (key,) = read_key_file(key_file([hs(nbf=0, exp=None)]))
    assert (key.use_from, key.use_until) == (0, None)


# -- what is refused


@pytest.mark.parametrize(
    "content",
    [
        "",
        "nonsense",
        "{}",
        "null",
        "1",
        "[]",
        json.dumps(hs()),
        '{"keys": {}}',
        '{"keys": [1]}',
        '{"keys": [[]]}',
        key_set(hs()) + "x",
        key_set(hs())[:-2] + ",]}",
        "[" * 100_000,
        "[" + "9" * 5_000 + "]",
        b"\xff\xfe[]",
        b"\xef\xbb\xbf" + key_set(hs()).encode(),
        key_set(hs()).encode("utf-16"),
        b"\x00",
    ],
    ids=lambda c: repr(c[:12]),
)
def test_a_file_that_is_no_key_set_is_refused_with_its_name(key_file, content):
    path = key_file(content)
    assert path in refusal(path)


@pytest.mark.parametrize("name", ["kid", "alg", "k"])
def test_a_member_that_is_written_twice_is_refused(key_file, name):
    text = key_set(hs()).replace(f'"{name}":', f'"{name}": "x", "{name}":')
    assert "twice" in refusal(key_file(text))


@pytest.mark.parametrize("kid", [None, "", 1, True, [], {}, ["one"], "k" * 101])
def test_a_key_needs_a_name(key_file, kid):
    assert "key 2: kid" in refusal(key_file([hs(), hs(kid, OTHER_SECRET)]))


def test_two_keys_of_one_name_are_refused(key_file):
    said = refusal(key_file([hs(), hs("two", OTHER_SECRET), hs("one", OTHER_SECRET)]))
    assert "'one'" in said
    assert "key 3" in said


@pytest.mark.parametrize(
    ("members", "said"),
    [
        *(({"alg": name}, "alg") for name in (None, "hs256", "HS384", "PS256", "none", "")),
        *(({"alg": value}, "alg") for value in (1, True, ["HS256"], {"HS256": 1})),
        *(({"kty": value}, "kty") for value in (None, "RSA", 1, ["oct"])),
        *(({"k": value}, "members k") for value in (None, 1, [SECRET], {"k": SECRET})),
        ({"alg": "RS256"}, "kty RSA"),
        ({"alg": "RS256", "kty": "RSA"}, "members n, e"),
        ({"k": "A"}, "base64url"),
        ({"k": ""}, "base64url"),
        ({"use": "enc"}, "not a key for signatures"),
        ({"key_ops": ["encrypt"]}, "not a key for signatures"),
        ({"key_ops": 1}, "not a key for signatures"),
        *(({"nbf": v}, "nbf") for v in (True, [], "", "2026-01-01", 1.5)),
        *(({"exp": v}, "exp") for v in (1.5, "1767225600")),
        ({"nbf": 60, "exp": 60}, "exp is not after nbf"),
        ({"nbf": 61, "exp": 60}, "exp is not after nbf"),
    ],
    ids=lambda v: json.dumps(v)[:60] if isinstance(v, dict) else None,
)
def test_a_key_with_a_fault_is_refused_with_its_name(key_file, members, said):
    path = key_file([hs("good", OTHER_SECRET), hs("the bad one") | members])
    message = refusal(path)
    assert message.startswith(f"{path}: key 'the bad one': ")
    assert said in message


def other_keys(rsa_key):
    """Public keys that are refused, and a part of the message."""
    right = public_jwk(rsa_key, "RS256")
    yield right | {"alg": "ES256"}, "needs a key of kty EC"
    yield right | {"e": "AQ"}, "not a valid key for RS256"
    yield right | {"n": right["n"][:-60]}, "bits; 2048 are needed"
    yield right | {"n": "é"}, "not a valid key for RS256"
    private = get_algorithm_by_name("RS256").to_jwk(rsa_key, as_dict=True)
    yield private | {"kid": "idp", "alg": "RS256"}, "is a private key"
    short = public_jwk(rsa.generate_private_key(65_537, 1_024), "RS256")
    yield short, "has 1024 bits"
    for curve in (ec.SECP384R1(), ec.SECP521R1(), ec.SECP256K1()):
        yield public_jwk(ec.generate_private_key(curve), "ES256"), "P-256"
    point = public_jwk(ec.generate_private_key(ec.SECP256R1()), "ES256")
    yield point | {"crv": "P-384"}, "P-256"
    yield point | {"y": point["x"]}, "not a valid key for ES256"
    raw = x25519.X25519PrivateKey.generate().public_key().public_bytes_raw()
    other = {"kty": "OKP", "kid": "idp", "alg": "EdDSA", "crv": "X25519", "x": b64(raw)}
    yield other, "Ed25519 or Ed448"
    yield other | {"crv": "Ed448"}, "not a valid key for EdDSA"


def test_a_key_of_another_kind_curve_or_size_and_a_private_key_are_refused(key_file, rsa_key):
    """One of them is an RSA key with the exponent 1, with which every text is its own signature."""
    for entry, said in other_keys(rsa_key):
        message = refusal(key_file([entry]))
        assert message.startswith(f"{key_file([entry])}: key 'idp': ")
        assert said in message, (entry, message)
        assert entry.get("d", "nothing private") not in message


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    for path in (tmp_path, tmp_path / "absent.json"):
        assert str(path) in refusal(str(path))


# -- HS256 keys that could be guessed


def random_text(size=MIN_BYTES):
    return b64(hashlib.shake_256(f"{size}".encode()).digest(size))


def why(key_file, text):
    said = refusal(key_file([hs("x", text)]))
    assert not any(text[i : i + 12] in said for i in range(len(text) - 12))
    return said.partition("key 'x': ")[2]


@pytest.mark.parametrize("size", [32, 33, 1_500])
def test_a_random_key_is_its_bytes(key_file, size):
    (key,) = read_key_file(key_file([hs("x", random_text(size))]))
    assert len(key.material) == size
    assert b64(key.material) == random_text(size)


@pytest.mark.parametrize("text", ["_" * 44, "-" * 64, b64(bytes(32)), b64(b"x" * 40)])
def test_one_repeated_character_is_refused(key_file, text):
    assert "is one repeated character" in why(key_file, text)


@pytest.mark.parametrize("case", [str.lower, str.upper, str.capitalize])
def test_a_single_word_is_refused_as_it_stands_and_encoded(key_file, case):
    word = case("password" * 8)
    for text in (word, b64(word.encode()), b64(("пароль" * 4).encode())):
        assert "is a single word; create a key with finance-api jwt new-key" in why(key_file, text)


@pytest.mark.parametrize("size", [1, 16, 24, 31])
def test_a_short_key_is_refused_with_its_length(key_file, size):
    said = why(key_file, b64(hashlib.shake_256(b"short").digest(size)))
    assert f"has {size} bytes; at least 32" in said


def test_a_public_key_is_no_secret(key_file):
    """If it were accepted as a secret, anybody could sign."""
    public = ed25519.Ed25519PrivateKey.generate().public_key()
    for encoding, form in (
        (Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
        (Encoding.DER, PublicFormat.SubjectPublicKeyInfo),
        (Encoding.OpenSSH, PublicFormat.OpenSSH),
    ):
        assert "public key" in why(key_file, b64(public.public_bytes(encoding, form)))


def test_only_the_one_text_of_its_bytes_is_taken(key_file):
    text = random_text()
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    wrong = [text + end for end in ("=", "==", "\n", " ")]
    wrong.append(text[:-1] + digits[digits.index(text[-1]) + 1])
    wrong.append(b64encode(b"\xfb\xff" * 18).decode())
    for part in (" ", "\n", "\0", "é", "ａ", "!", ".", "~", "\u200b"):
        wrong += [text[:position] + part + text[position:] for position in (0, 20, len(text))]
    for one in wrong:
        assert "base64url" in why(key_file, one), one


# -- when a key counts


def test_a_key_counts_from_its_first_second_up_to_its_last():
    key = JwtKey("x", "HS256", b"", use_from=100, use_until=200)
    assert [key.is_in_use(at) for at in (99, 100, 199, 200)] == [False, True, True, False]
    always = JwtKey("x", "HS256", b"")
    assert all(always.is_in_use(at) for at in (-(10**12), 0, 10**12))


@pytest.mark.parametrize(
    ("times", "signs"),
    [
        ([], None),
        ([(None, None)], 0),
        ([(None, None), (None, None)], 1),
        ([(50, None), (None, None)], 0),
        ([(-50, None), (None, None)], 0),
        ([(0, None), (None, None)], 0),
        ([(50, None), (60, None)], 1),
        ([(60, None), (50, None)], 0),
        ([(60, None), (60, None)], 1),
        ([(60, 100), (50, None)], 1),
        ([(60, 101), (50, None)], 0),
        ([(60, None), (101, None)], 0),
        ([(60, None), (100, None)], 1),
        ([(None, 100)], None),
        ([(101, None)], None),
    ],
)
def test_the_key_that_began_last_signs(times, signs):
    keys = [JwtKey(str(i), "HS256", b"", *time) for i, time in enumerate(times)]
    found = signing_key(keys, 100)
    assert (found and found.kid) == (None if signs is None else str(signs))


def test_a_public_key_never_signs():
    keys = [JwtKey("a", name, b"", use_from=1) for name in ("RS256", "ES256", "EdDSA")]
    assert signing_key(keys, 100) is None
    assert signing_key([JwtKey("b", "HS256", b""), *keys], 100).kid == "b"
