"""HS256 keys: random ones are taken, and nothing that could be guessed."""

import hashlib
import re
import secrets
from base64 import b64encode, standard_b64decode, urlsafe_b64encode

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from finance_api.auth.key_rotation import _new_key
from finance_api.auth.key_strength import MAX_CHARACTERS, MIN_BYTES, KeyRefused, hmac_key


def b64(data):
    return urlsafe_b64encode(data).decode().rstrip("=")


def is_taken(text):
    try:
        hmac_key(text)
    except KeyRefused:
        return False
    return True


def why(text):
    with pytest.raises(KeyRefused) as refused:
        hmac_key(text)
    return str(refused.value)


def random_text(size=MIN_BYTES):
    """The first text of a fixed series that looks random, so that no run differs from another."""
    for number in range(100):
        text = b64(hashlib.shake_256(f"{size} {number}".encode()).digest(size))
        if is_taken(text):
            return text
    raise AssertionError("none of a hundred random texts is taken")


def changed_in_the_middle(text, part):
    start = len(text) // 2
    return text[:start] + part + text[start + len(part) :]


@pytest.fixture(scope="session")
def public_secrets(corpora):
    path = corpora / "jwt/wallarm__jwt-secrets/jwt.secrets.half.txt"
    lines = path.read_bytes().decode("utf-8").split("\n")
    assert len(lines) > 50_000
    return [line.rstrip("\r") for line in lines]


@pytest.mark.parametrize("size", [32, 33, 34, 48, 64, 96, 512, 1_500])
def test_a_random_key_is_its_bytes(size):
    text = random_text(size)
    key = hmac_key(text)
    assert len(key) == size
    assert b64(key) == text


@pytest.mark.parametrize(("size", "count"), [(32, 5_000), (48, 2_000), (64, 2_000)])
def test_at_most_one_random_key_of_a_hundred_is_refused(size, count):
    taken = sum(is_taken(b64(secrets.token_bytes(size))) for _ in range(count))
    assert taken >= count * 0.99


def test_a_new_key_is_never_refused_and_never_comes_twice():
    made = [_new_key() for _ in range(3_000)]
    assert all(len(hmac_key(text)) == 32 for text in made)
    assert len(set(made)) == len(made)


def test_a_new_key_is_made_again_when_it_looks_like_text(monkeypatch):
    good = hmac_key(random_text())
    offered = [b"\x00" * 32, b"correct horse battery staple! 12", good]
    monkeypatch.setattr(
        "finance_api.auth.key_rotation.secrets.token_bytes", lambda size: offered.pop(0)
    )
    assert hmac_key(_new_key()) == good
    assert offered == []


def test_no_line_of_the_public_lists_is_a_key(public_secrets):
    assert [line for line in public_secrets if is_taken(line)] == []


def test_no_line_of_the_public_lists_is_a_key_in_base64url(public_secrets):
    assert [line for line in public_secrets if is_taken(b64(line.encode()))] == []


def test_no_line_of_the_public_lists_is_a_key_twice_or_with_an_end(public_secrets):
    for end in ("\n", "\r\n", "\0"):
        assert [s for s in public_secrets if is_taken(b64((s + end).encode()))] == []
    assert [s for s in public_secrets if is_taken(b64((s + s).encode()))] == []


def test_no_listed_base64_text_is_a_key_in_the_other_alphabet(public_secrets):
    """What the refusal of `+`, `/` and `=` invites: the same key, written as it must be."""
    table = str.maketrans("+/", "-_")
    taken = [s for s in public_secrets if is_taken(s.strip().rstrip("=").translate(table))]
    assert len(taken) == 0, len(taken)


def test_no_listed_hexadecimal_text_is_a_key_by_its_bytes(public_secrets):
    digits = [s for s in public_secrets if re.fullmatch("(?:[0-9A-Fa-f]{2}){32,}", s)]
    taken = [s for s in digits if is_taken(b64(bytes.fromhex(s)))]
    assert len(taken) == 0, len(taken)


@pytest.fixture(scope="session")
def common_secrets(corpora):
    path = corpora / "jwt/ticarpi__jwt_tool/jwt-common.half.txt"
    lines = path.read_text("utf-8").splitlines()
    assert len(lines) > 40
    return lines


def test_no_common_secret_is_a_key(common_secrets):
    assert [line for line in common_secrets if is_taken(line)] == []


def test_no_common_secret_is_a_key_in_base64url(common_secrets):
    assert [line for line in common_secrets if is_taken(b64(line.encode()))] == []


def test_the_key_of_the_rfc_is_known():
    """RFC 7515, appendix A.1."""
    key = "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"
    assert "public" in why(key)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"a",
        b"secret",
        b"correct horse battery staple and some more words",
        "Käse, Brötchen, Müsli, Öl und Äpfel — für 42 €".encode(),
        "пароль для подписи токенов 2026".encode(),
        "秘密鍵秘密鍵秘密鍵秘密鍵秘密鍵".encode(),
        b"0123456789abcdef0123456789abcdef",
        hashlib.sha256(b"x").hexdigest().encode(),
        b"00000000-0000-4000-8000-000000000001",
        b'{"kty": "oct", "k": "abc"}' + b" " * 20,
        b"-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----\n",
        b"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFQ8 someone@example.org",
        bytes(32),
        b"\xff" * 64,
        b"\x80\xff" * 32,
        bytes(range(128, 136)) * 4,
        bytes(range(200, 219)) * 3,
        bytes(range(32)),
        bytes(16) + hashlib.sha256(b"y").digest()[:16],
    ],
    ids=lambda data: repr(data[:14]),
)
def test_bytes_that_are_not_random_are_refused_in_base64url(data):
    why(b64(data))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "changeme",
        "finance-api-signing-key-of-the-production-service",
        "FINANCE_API_SIGNING_KEY_OF_THE_PRODUCTION_SERVICE",
        hashlib.sha256(b"a").hexdigest(),
        hashlib.sha256(b"a").hexdigest().upper(),
        hashlib.sha512(b"a").hexdigest(),
        "1234567890" * 5,
        "aB3" * 16,
        "aB3_xY7-" * 8,
        "Abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL",
        "0b7e1c9a-5f0e-4a43-9d53-0f6a3f1f7a11-0b7e1c9a-5f0e",
        "A" * 43,
        "_" * 44,
        "-" * 64,
    ],
    ids=lambda text: text[:14],
)
def test_words_digits_and_patterns_are_refused_as_they_stand(text):
    why(text)


def test_a_random_text_that_was_filled_with_a_pattern_is_refused():
    text = random_text(48)
    for part in ("aaaa", "----", "20260318", "passwordpass", "PASSWORDPASS", text[:8]):
        assert not is_taken(changed_in_the_middle(text, part)), part


@pytest.mark.parametrize("size", [0, 1, 16, 24, 31])
def test_a_short_key_is_refused_with_its_length(size):
    said = why(b64(hashlib.shake_256(b"short").digest(size)))
    assert f"has {size} bytes" in said
    assert "32" in said


def test_a_key_may_not_be_endless():
    assert is_taken(random_text(MAX_CHARACTERS * 3 // 4))
    assert str(MAX_CHARACTERS) in why(b64(hashlib.shake_256(b"long").digest(MAX_CHARACTERS)))
    why("A" * 10_000_000)


def test_padding_is_refused():
    for size in (32, 34):
        text = random_text(size)
        for end in ("=", "==", "===", "\n", " "):
            assert "base64url" in why(text + end)


def test_the_alphabet_of_plain_base64_is_refused():
    text = next(
        t for n in range(99) if {"-", "_"} <= set(t := b64(hashlib.sha512(b"%d" % n).digest()))
    )
    plain = b64encode(hmac_key(text)).decode()
    assert {"+", "/"} <= set(plain)
    assert standard_b64decode(plain) == hmac_key(text)
    for wrong in (plain, plain.rstrip("="), text.replace("-", "+"), text.replace("_", "/")):
        assert "base64url" in why(wrong)


def test_other_characters_are_refused_wherever_they_stand():
    text = random_text()
    for part in (" ", "\n", "\0", "é", "ａ", "\ud800", "!", ".", "~", "\u200b"):
        for position in (0, 20, len(text)):
            assert "base64url" in why(text[:position] + part + text[position:])


def test_a_text_that_is_not_the_only_one_for_its_bytes_is_refused():
    text = random_text(32)
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    spare = digits[digits.index(text[-1]) + 1]
    assert "base64url" in why(text[:-1] + spare)


def test_a_public_key_is_no_secret():
    """Signed with it, a token could be made by anybody; PyJWT refuses to work with it at all."""
    keys = (
        rsa.generate_private_key(65_537, 2_048),
        ec.generate_private_key(ec.SECP256R1()),
        ed25519.Ed25519PrivateKey.generate(),
    )
    texts = [
        b64(k.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))
        for k in keys
    ]
    assert [text for text in texts if is_taken(text)] == []


@pytest.mark.parametrize("size", [31, 33])
def test_no_refusal_holds_the_key(size):
    text = random_text(48)[: size * 4 // 3]
    for wrong in (text[:20], text + "=", text + "+", text * 60, text + text, text.lower()):
        said = why(wrong)
        assert not any(wrong[i : i + 6] in said for i in range(len(wrong) - 6))
