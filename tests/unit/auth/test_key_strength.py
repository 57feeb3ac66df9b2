"""HS256 keys: random ones are taken; a short one, a word or a repeated character is not."""

import hashlib
from base64 import b64encode, standard_b64decode, urlsafe_b64encode

import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from finance_api.auth.key_strength import MAX_CHARACTERS, MIN_BYTES, KeyRefused, hmac_key


def b64(data):
    return urlsafe_b64encode(data).decode().rstrip("=")


def why(text):
    with pytest.raises(KeyRefused) as refused:
        hmac_key(text)
    return str(refused.value)


def random_text(size=MIN_BYTES):
    return b64(hashlib.shake_256(f"{size}".encode()).digest(size))


@pytest.mark.parametrize("size", [32, 33, 34, 48, 64, 96, 512, 1_500])
def test_a_random_key_is_its_bytes(size):
    text = random_text(size)
    key = hmac_key(text)
    assert len(key) == size
    assert b64(key) == text


@pytest.mark.parametrize(
    "text",
    [
        "A" * 43,
        "_" * 44,
        "-" * 64,
        b64(bytes(32)),
        b64(b"\xff" * 64),
        b64(b"x" * 40),
    ],
)
def test_one_repeated_character_is_refused(text):
    assert why(text) == "is one repeated character"


@pytest.mark.parametrize("case", [str.lower, str.upper, str.capitalize])
def test_a_single_word_is_refused_as_it_stands_and_encoded(case):
    word = case("password" * 8)
    for text in (word, b64(word.encode())):
        assert why(text) == "is a single word"


def test_a_word_of_another_alphabet_is_refused():
    assert why(b64(("пароль" * 4).encode())) == "is a single word"


@pytest.mark.parametrize("size", [0, 1, 16, 24, 31])
def test_a_short_key_is_refused_with_its_length(size):
    said = why(b64(hashlib.shake_256(b"short").digest(size)))
    assert f"has {size} bytes" in said
    assert "32" in said


def test_a_key_may_not_be_endless():
    hmac_key(random_text(MAX_CHARACTERS * 3 // 4))
    assert str(MAX_CHARACTERS) in why(b64(hashlib.shake_256(b"long").digest(MAX_CHARACTERS)))
    why("A" * 10_000_000)


def test_a_public_key_is_no_secret():
    """With it anybody could sign."""
    public = ed25519.Ed25519PrivateKey.generate().public_key()
    for encoding, form in (
        (Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
        (Encoding.OpenSSH, PublicFormat.OpenSSH),
    ):
        assert "public key" in why(b64(public.public_bytes(encoding, form)))


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


@pytest.mark.parametrize("size", [31, 33])
def test_no_refusal_holds_the_key(size):
    text = random_text(48)[: size * 4 // 3]
    for wrong in (text[:20], text + "=", text + "+", text * 60):
        said = why(wrong)
        assert not any(wrong[i : i + 6] in said for i in range(len(wrong) - 6))
