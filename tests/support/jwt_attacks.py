"""Valid and forged JSON Web Tokens, made with hmac and cryptography only."""

import hmac
import json
import re
import secrets
from base64 import urlsafe_b64decode
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import PublicFormat

from support.jwt_keys import b64

PATH = "/internal/v1/get-records"
SPKI, PKCS1 = PublicFormat.SubjectPublicKeyInfo, PublicFormat.PKCS1
LEEWAY = 5
MAX_TTL = 2_592_000
IDP = "https://idp.example.org"


def segment(value):
    """Encode a part of a token. value: bytes, JSON text, or a value to write as JSON."""
    if not isinstance(value, bytes | str):
        value = json.dumps(value)
    return b64(value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value)


class Attacker:
    """Somebody who has a valid token of ``client``, and for these tests also the keys."""

    def __init__(self, client, rsa_key=None):
        self.client = client
        self.web = client.service.web
        entries = json.loads(Path(client.service.key_file).read_text())["keys"]
        hs = [entry for entry in entries if entry["alg"] == "HS256"][-1]
        self.kid = hs["kid"]
        self.secret = urlsafe_b64decode(hs["k"] + "=")
        self.rsa_key = rsa_key

    @property
    def now(self):
        return self.client.service.clock.now()

    @property
    def header(self):
        return {"alg": "HS256", "typ": "JWT", "kid": self.kid}

    @property
    def payload(self):
        return {
            "iss": "finance_api",
            "aud": "finance_api",
            "sub": self.client.user.uuid,
            "jti": secrets.token_hex(8),
            "iat": self.now,
            "exp": self.now + 3_600,
        }

    def token(self, payload=None, header=None, *, secret=None, digest="sha256", sign=None):
        start = ".".join(
            segment(given if given is not None else usual)
            for given, usual in ((header, self.header), (payload, self.payload))
        )
        signature = (
            sign(start.encode())
            if sign
            else hmac.digest(self.secret if secret is None else secret, start.encode(), digest)
        )
        return f"{start}.{b64(signature)}"

    def claims(self, **changes):
        return self.token(self.payload | changes)

    def headers(self, **changes):
        return self.token(header=self.header | changes)

    def written(self, name, value):
        """Return a token with one changed claim. value: the claim's JSON text."""
        return self.token(json.dumps(self.payload | {name: "@"}).replace('"@"', value))

    def rs256(self, payload=None, header=None):
        return self.token(
            self.payload | {"iss": IDP} if payload is None else payload,
            {"alg": "RS256", "kid": "idp"} if header is None else header,
            sign=lambda data: self.rsa_key.sign(data, padding.PKCS1v15(), SHA256()),
        )

    def ask(self, token, scheme="Bearer ", path=PATH):
        return self.raw(f"{scheme}{token}", path)

    def raw(self, header, path=PATH):
        headers = {"Authorization": header}
        return self.web.get(path, headers=headers, status="*", expect_errors=True)

    def accepted(self, token=None):
        response = self.ask(self.token() if token is None else token)
        assert response.status_int == 200, response.text
        return response

    def refused(self, token, *, expired=False):
        answer = self.ask(token)
        assert_401(answer, expired=expired)
        self.accepted()


def assert_401(response, *, expired=False):
    assert response.status_int == 401, response.text
    assert response.headers["Content-Type"] == "application/problem+json"
    challenge = response.headers["WWW-Authenticate"]
    assert re.fullmatch(r'Bearer realm="[^"]+", error="invalid_token"', challenge)
    body = {**response.json}
    body.pop("request_id", None)
    detail = "The token has expired." if expired else "The token is not valid."
    assert body == {
        "type": body["type"],
        "title": "Unauthorized",
        "status": 401,
        "detail": detail,
        "error": detail,
    }
