"""The file of the keys that JSON Web Tokens are signed and verified with."""

import json
from base64 import urlsafe_b64encode

import pytest
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed448, ed25519, rsa, x25519
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PrivateFormat,
    PublicFormat,
)

from finance_api.auth.jwt_keys import (
    JwtKey,
    key_entries,
    read_key_file,
    signing_key,
)
from finance_api.auth.key_strength import KeyRefused, hmac_key
from support.jwt_keys import OTHER_SECRET, SECRET, hs, private_pem, public_pem, refusal

# -- what is read


def test_an_hs256_key_is_read(key_file):
    assert read_key_file(key_file([hs()])) == (JwtKey("one", "HS256", hmac_key(SECRET)),)


def test_keys_come_in_the_order_of_the_file(key_file):
    path = key_file([hs("b"), hs("a", OTHER_SECRET)])
    assert [key.kid for key in read_key_file(path)] == ["b", "a"]


def test_a_file_of_no_keys_is_no_fault(key_file):
    assert read_key_file(key_file([])) == ()


def test_public_keys_are_read_from_files_beside_it(key_file, tmp_path, rsa_key):
    made = {
        "RS256": [rsa_key],
        "ES256": [ec.generate_private_key(ec.SECP256R1())],
        "EdDSA": [ed25519.Ed25519PrivateKey.generate(), ed448.Ed448PrivateKey.generate()],
    }
    entries = []
    for algorithm, privates in made.items():
        for private in privates:
            name = f"{len(entries)}.pem"
            (tmp_path / name).write_bytes(public_pem(private))
            entries.append({"kid": name, "alg": algorithm, "public_key_file": name})
    keys = read_key_file(key_file(entries))
    assert [key.algorithm for key in keys] == [entry["alg"] for entry in entries]
    for key, private in zip(keys, [p for ps in made.values() for p in ps], strict=True):
        assert key.material == private.public_key()


def test_a_public_key_file_may_have_an_absolute_path(key_file, tmp_path, rsa_key):
    place = tmp_path / "elsewhere"
    place.mkdir()
    (place / "key.pem").write_bytes(public_pem(rsa_key))
    entry = {"kid": "x", "alg": "RS256", "public_key_file": str(place / "key.pem")}
    assert read_key_file(key_file([entry]))[0].material == rsa_key.public_key()


def test_a_public_key_file_is_looked_for_beside_the_key_file(
    key_file, tmp_path, rsa_key, monkeypatch
):
    path = key_file([{"kid": "x", "alg": "RS256", "public_key_file": "key.pem"}])
    (tmp_path / "key.pem").write_bytes(public_pem(rsa_key))
    elsewhere = tmp_path / "cwd"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert len(read_key_file(path)) == 1


def test_times_are_read_as_seconds(key_file):
    entry = hs(use_from="1970-01-01T00:01:00Z", use_until="1970-01-01T02:00:00+01:00")
    (key,) = read_key_file(key_file([entry]))
    assert (key.use_from, key.use_until) == (60, 3600)
    (key,) = read_key_file(key_file([hs(use_from="1970-01-02", use_until=None)]))
    assert (key.use_from, key.use_until) == (86_400, None)


# -- what is refused


@pytest.mark.parametrize(
    "content",
    [
        "",
        "nonsense",
        "[",
        "{}",
        "null",
        '"text"',
        "1",
        "[1]",
        '["one"]',
        "[[]]",
        "[null]",
        json.dumps(hs()),
        json.dumps({"keys": [hs()]}),
        json.dumps([hs()]) + "x",
        json.dumps([hs()])[:-1] + ",]",
        "[" * 100_000,
        "[" + "9" * 5_000 + "]",
        b"\xff\xfe[]",
        b"\xef\xbb\xbf" + json.dumps([hs()]).encode(),
        json.dumps([hs()]).encode("utf-16"),
        b"\x00",
    ],
    ids=lambda c: repr(c[:12]),
)
def test_a_file_that_is_no_list_of_objects_is_refused_with_its_name(key_file, content):
    path = key_file(content)
    assert path in refusal(path)


@pytest.mark.parametrize("name", ["kid", "alg", "key"])
def test_a_member_that_is_written_twice_is_refused(key_file, name):
    text = json.dumps([hs()]).replace(f'"{name}":', f'"{name}": "x", "{name}":')
    assert "twice" in refusal(key_file(text))


@pytest.mark.parametrize("kid", [None, "", 1, True, [], {}, ["one"], "k" * 101])
def test_a_key_needs_a_name(key_file, kid):
    assert "key 2: kid" in refusal(key_file([hs(), hs(kid, OTHER_SECRET)]))


def test_a_key_without_a_name_is_refused(key_file):
    entry = hs()
    del entry["kid"]
    assert "key 1: kid" in refusal(key_file([entry]))


def test_two_keys_of_one_name_are_refused(key_file):
    said = refusal(key_file([hs(), hs("two", OTHER_SECRET), hs("one", OTHER_SECRET)]))
    assert "'one'" in said
    assert "key 3" in said


def test_names_differ_by_case_and_by_their_code_points(key_file):
    kids = ["one", "ONE", "é", "e\u0301", "one "]
    assert [k.kid for k in read_key_file(key_file([hs(kid) for kid in kids]))] == kids


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"secret": "x"}, "secret"),
        ({"Key": SECRET}, "Key"),
        ({"kty": "oct"}, "kty"),
        ({"k": SECRET}, "'k'"),
        ({"use-until": "2026-01-01"}, "use-until"),
        ({"": ""}, "''"),
        ({"alg": None}, "alg"),
        ({"alg": "hs256"}, "alg"),
        ({"alg": "HS256 "}, "alg"),
        ({"alg": "HS384"}, "alg"),
        ({"alg": "HS512"}, "alg"),
        ({"alg": "RS384"}, "alg"),
        ({"alg": "PS256"}, "alg"),
        ({"alg": "ES384"}, "alg"),
        ({"alg": "none"}, "alg"),
        ({"alg": "None"}, "alg"),
        ({"alg": ""}, "alg"),
        ({"alg": 1}, "alg"),
        ({"alg": True}, "alg"),
        ({"alg": ["HS256"]}, "alg"),
        ({"alg": {"HS256": 1}}, "alg"),
        ({"key": None}, "key"),
        ({"key": 1}, "key"),
        ({"key": [SECRET]}, "key"),
        ({"key": {"k": SECRET}}, "key"),
        ({"key": ""}, "0 bytes"),
        ({"key": SECRET + "="}, "base64url"),
        ({"key": " " + SECRET}, "base64url"),
        ({"key": SECRET[:40]}, "30 bytes"),
        ({"key": SECRET * 60}, "characters"),
        ({"key": "password" * 6}, "single word"),
        ({"public_key_file": "x.pem"}, "key"),
        ({"alg": "RS256"}, "public_key_file"),
        ({"alg": "RS256", "public_key_file": "x.pem"}, "public_key_file"),
        ({"use_from": 5}, "use_from"),
        ({"use_from": True}, "use_from"),
        ({"use_from": []}, "use_from"),
        ({"use_from": ""}, "use_from"),
        ({"use_from": "tomorrow"}, "use_from"),
        ({"use_from": "2026-02-30"}, "use_from"),
        ({"use_from": "2026-01-31T24:00:00Z"}, "use_from"),
        ({"use_until": 1.5}, "use_until"),
        ({"use_until": "1767225600"}, "use_until"),
        ({"use_until": "0000-01-01"}, "use_until"),
        ({"use_from": "2026-01-02", "use_until": "2026-01-02"}, "use_until"),
        ({"use_from": "2026-01-02", "use_until": "2026-01-01"}, "use_until"),
    ],
    ids=lambda v: json.dumps(v)[:60] if isinstance(v, dict) else None,
)
def test_an_entry_with_a_fault_is_refused_with_its_name(key_file, members, said):
    path = key_file([hs("good", OTHER_SECRET), hs("the bad one") | members])
    message = refusal(path)
    assert message.startswith(f"{path}: key 'the bad one': ")
    assert said in message


@pytest.mark.parametrize("missing", ["alg", "key"])
def test_an_entry_that_lacks_a_member_is_refused(key_file, missing):
    entry = hs("bare")
    del entry[missing]
    assert "'bare'" in refusal(key_file([entry]))


def test_entries_are_checked_before_any_key_is_used():
    with pytest.raises(KeyRefused):
        key_entries("{}")
    assert key_entries(json.dumps([hs()])) == [hs()]


@pytest.mark.parametrize("name", [None, 1, [], {}, "", ".", "absent.pem", "a\0b", "x" * 5_000])
def test_a_public_key_file_that_is_none_is_refused(key_file, name):
    entry = {"kid": "idp", "alg": "ES256", "public_key_file": name}
    assert "key 'idp'" in refusal(key_file([entry]))


def test_a_public_key_beside_a_secret_is_refused(key_file, tmp_path, rsa_key):
    (tmp_path / "k.pem").write_bytes(public_pem(rsa_key))
    for algorithm in ("HS256", "RS256"):
        entry = hs(public_key_file="k.pem", alg=algorithm)
        assert "key 'one'" in refusal(key_file([entry]))


def other_keys(rsa_key):
    """algorithm, PEM of a key that it may not be used with, part of the message."""
    p256 = ec.generate_private_key(ec.SECP256R1())
    ed = ed25519.Ed25519PrivateKey.generate()
    for algorithm in ("RS256", "ES256", "EdDSA"):
        for kind, private in (("RS256", rsa_key), ("ES256", p256), ("EdDSA", ed)):
            if kind != algorithm:
                yield algorithm, public_pem(private), f"is not a key for {algorithm}"
            yield algorithm, private_pem(private), "is not a public key in PEM"
            if kind != "EdDSA":
                old = private_pem(private, PrivateFormat.TraditionalOpenSSL)
                yield algorithm, old, "is not a public key in PEM"
            der = private.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
            yield algorithm, der, "is not a public key in PEM"
            ssh = private.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
            yield algorithm, ssh, "is not a public key in PEM"
    for curve in (ec.SECP384R1(), ec.SECP521R1(), ec.SECP256K1()):
        yield "ES256", public_pem(ec.generate_private_key(curve)), "P-256"
    yield "RS256", public_pem(rsa.generate_private_key(65_537, 1_024)), "1024 bits"
    yield "EdDSA", public_pem(x25519.X25519PrivateKey.generate()), "is not a key for EdDSA"
    yield "RS256", public_pem(dsa.generate_private_key(1_024)), "is not a key for RS256"
    whole = public_pem(rsa_key)
    for broken in (b"", whole[:-60], whole.replace(b"PUBLIC", b"SECRET"), b"\0" * 64, b"\xff"):
        yield "RS256", broken, "is not a public key in PEM"


def test_a_key_of_another_kind_curve_or_size_and_a_private_key_are_refused(
    key_file, tmp_path, rsa_key
):
    cases = list(other_keys(rsa_key))
    assert len(cases) > 30
    for algorithm, pem, said in cases:
        (tmp_path / "k.pem").write_bytes(pem)
        entry = {"kid": "idp", "alg": algorithm, "public_key_file": "k.pem"}
        message = refusal(key_file([entry]))
        assert "key 'idp'" in message
        assert said in message, (algorithm, pem, message)
        lines = [line for line in pem.decode("latin-1").splitlines() if len(line) > 20]
        assert not any(line in message for line in lines)


def test_an_rsa_key_with_the_exponent_one_is_refused(key_file, tmp_path, rsa_key):
    """Every text is its own signature by such a key."""
    der = rsa_key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    changed = der[:-3] + b"\x00\x00\x01"
    shorter = der[:-3] + b"\x01\x00\x01"
    assert shorter == der
    body = urlsafe_b64encode(changed).replace(b"-", b"+").replace(b"_", b"/")
    (tmp_path / "k.pem").write_bytes(
        b"-----BEGIN PUBLIC KEY-----\n" + body + b"\n-----END PUBLIC KEY-----\n"
    )
    entry = {"kid": "idp", "alg": "RS256", "public_key_file": "k.pem"}
    assert "key 'idp'" in refusal(key_file([entry]))


def test_a_private_key_in_the_place_of_a_path_is_not_repeated(key_file, rsa_key):
    pem = private_pem(rsa_key).decode()
    entry = {"kid": "idp", "alg": "RS256", "public_key_file": pem}
    said = refusal(key_file([entry]))
    assert pem.splitlines()[1] not in said
    assert "\n" not in said


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    for path in (tmp_path, tmp_path / "absent.json"):
        assert str(path) in refusal(str(path))


# -- when a key counts


def test_a_key_counts_from_its_first_second_up_to_its_last():
    key = JwtKey("x", "HS256", b"", use_from=100, use_until=200)
    assert [key.is_in_use(at) for at in (99, 100, 199, 200)] == [False, True, True, False]


def test_a_key_without_times_always_counts():
    key = JwtKey("x", "HS256", b"")
    assert all(key.is_in_use(at) for at in (-(10**12), 0, 10**12))
    assert JwtKey("x", "HS256", b"", use_until=5).is_in_use(4)
    assert not JwtKey("x", "HS256", b"", use_until=5).is_in_use(5)
    assert JwtKey("x", "HS256", b"", use_from=5).is_in_use(5)
    assert not JwtKey("x", "HS256", b"", use_from=5).is_in_use(4)


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
