"""Key files of JSON Web Tokens, and what is refused of them."""

import hashlib
from base64 import urlsafe_b64encode

import pytest
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from finance_api.auth.jwt_keys import (
    KeyFileError,
    read_key_file,
)


def b64(data):
    return urlsafe_b64encode(data).decode().rstrip("=")


SECRET, OTHER_SECRET = (b64(hashlib.sha256(name).digest()) for name in (b"one", b"another"))


def public_pem(private):
    return private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def private_pem(private, form=PrivateFormat.PKCS8):
    return private.private_bytes(Encoding.PEM, form, NoEncryption())


def hs(kid="one", key=SECRET, **members):
    return {"kid": kid, "alg": "HS256", "key": key, **members}


def refusal(path):
    with pytest.raises(KeyFileError) as refused:
        read_key_file(path)
    said = str(refused.value)
    for secret in (SECRET, OTHER_SECRET):
        assert not any(secret[i : i + 8] in said for i in range(len(secret) - 8)), said
    return said
