"""Key files of JSON Web Tokens, and how faulty ones are refused."""

import hashlib
import json
from base64 import urlsafe_b64encode

import pytest
from jwt import get_algorithm_by_name

from finance_api.auth.jwt_keys import KeyFileError, read_key_file


def b64(data):
    return urlsafe_b64encode(data).decode().rstrip("=")


SECRET, OTHER_SECRET = (b64(hashlib.sha256(name).digest()) for name in (b"one", b"another"))


def hs(kid="one", key=SECRET, **members):
    return {"kty": "oct", "kid": kid, "alg": "HS256", "k": key, **members}


def public_jwk(private, algorithm="EdDSA", kid="idp"):
    """Return the public key of a private key as a JSON Web Key."""
    jwk = get_algorithm_by_name(algorithm).to_jwk(private.public_key(), as_dict=True)
    return {**jwk, "kid": kid, "alg": algorithm}


def key_set(*entries):
    return json.dumps({"keys": entries})


def refusal(path):
    with pytest.raises(KeyFileError) as refused:
        read_key_file(path)
    said = str(refused.value)
    for secret in (SECRET, OTHER_SECRET):
        assert not any(secret[i : i + 8] in said for i in range(len(secret) - 8)), said
    return said
