"""Forged and mistaken JSON Web Tokens on the internal surface.

The tokens are made by hand, with hmac and cryptography. Every attack starts from a token that is
accepted (`Attacker.accepted` shows it), so that nothing is refused for another reason.
"""

import hashlib
import hmac
import json
import re
import secrets
from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from finance_api.auth.key_rotation import add_signing_key
from finance_api.auth.user_accounts import make_user
from finance_api.storage.interface import Jwt
from support.books import account, record
from support.service import STORAGES, Service

PATH = "/internal/v1/get-records"
SPKI, PKCS1 = PublicFormat.SubjectPublicKeyInfo, PublicFormat.PKCS1
LEEWAY = 5
MAX_TTL = 2_592_000
IDP = "https://idp.example.org"


def b64(data):
    return urlsafe_b64encode(data).decode().rstrip("=")


def segment(value):
    """value: bytes, JSON text, or what becomes JSON."""
    if not isinstance(value, bytes | str):
        value = json.dumps(value)
    return b64(value.encode() if isinstance(value, str) else value)


class Attacker:
    """Somebody who has a right token of ``client``, and here even the keys."""

    def __init__(self, client, rsa_key=None):
        self.client = client
        self.web = client.service.web
        entries = json.loads(Path(client.service.key_file).read_text())
        hs = [entry for entry in entries if entry["alg"] == "HS256"][-1]
        self.kid = hs["kid"]
        self.secret = urlsafe_b64decode(hs["key"] + "=")
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
        """A right token but for one claim, given as the JSON text of its value."""
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


@pytest.fixture
def attacker(client):
    return Attacker(client)


@pytest.fixture(scope="module")
def rsa_key():
    return rsa.generate_private_key(65_537, 2_048)


@pytest.fixture(scope="module", params=STORAGES)
def issuer_service(request, new_settings, tmp_path_factory, rsa_key):
    """A service that also takes tokens of an issuer elsewhere, which names users by e-mail."""
    service = Service(
        request.param,
        {
            **new_settings(request.param),
            "finance_api.jwt.subject": "email",
            "finance_api.jwt.issuers": f"finance_api {IDP} https://other.example.org",
        },
    )
    public = rsa_key.public_key().public_bytes(Encoding.PEM, SPKI)
    file = Path(service.key_file)
    (file.parent / "idp.pem").write_bytes(public)
    entries = json.loads(file.read_text())
    entries.append({"kid": "idp", "alg": "RS256", "public_key_file": "idp.pem", "issuer": IDP})
    file.write_text(json.dumps(entries))
    yield service
    service.stop()


@pytest.fixture
def issuer(issuer_service, rsa_key):
    issuer_service.clock.set("2026-03-18T12:00:00Z")
    return Attacker(issuer_service.client(), rsa_key)


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
    """Before: 200 for each of the settings' issuers (RFC 8725, 3.8)."""
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


def test_no_algorithm_or_one_of_another_type_is_refused(attacker):
    header = attacker.header
    del header["alg"]
    attacker.refused(attacker.token(header=header))
    for alg in (None, 0, 1, True, False, [], {}, ["HS256"], {"HS256": 1}, "hs256", "HS256 "):
        attacker.refused(attacker.headers(alg=alg))


def test_a_signature_that_is_empty_null_or_left_out_is_refused(attacker):
    start, _, signature = attacker.token().rpartition(".")
    for end in ("", ".", ".A", ".AA", ".AAAA", f".{b64(bytes(32))}", f".{signature[:-2]}"):
        attacker.refused(start + end)


def test_a_changed_payload_under_the_old_signature_is_refused(attacker):
    other = attacker.client.service.client()
    header, _, signature = attacker.token().split(".")
    payload = segment(attacker.payload | {"sub": other.user.uuid})
    attacker.refused(f"{header}.{payload}.{signature}")


@pytest.mark.parametrize("size", ["384", "512"])
def test_the_key_serves_no_other_size_of_hash(attacker, size):
    attacker.refused(attacker.token(header=attacker.header | {"alg": f"HS{size}"}))
    for alg in ("HS256", f"HS{size}"):
        header = attacker.header | {"alg": alg}
        attacker.refused(attacker.token(header=header, digest=f"sha{size}"))


def test_the_public_key_is_no_secret(issuer):
    """The server knows the issuer's public key, and so does everybody."""
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
    # Of two keys, one must be named.
    issuer.refused(issuer.rs256(header={"alg": "RS256"}))
    issuer.refused(issuer.token(header={"alg": "HS256"}))


# -- where the key is found


NO_KEY_IDS = (
    *("../../../../../../dev/null", "/dev/null", "/proc/sys/kernel/randomize_va_space"),
    *("file:///dev/null", "..\\..\\nul", "jwt-keys.json", "idp.pem", "./", "~root/.ssh/id"),
    *("' UNION SELECT 'key", "x' OR '1'='1", "1; DROP TABLE jwts; --", '" OR ""="', "%s", "?"),
    *("\0", "one\0", "\n", "\r\nX-Injected: 1", "${jndi:ldap://a.example/}", "{{7*7}}"),
    *("|/usr/bin/sleep 10", "`id`", "$(id)", "", " ", "*", ".*", "null", "undefined", "é"),
    *("\ud800", "😀", "x" * 3_000, "http://169.254.169.254/latest/meta-data/"),
    *(None, 0, 1, -1, 1.5, 10**300, True, False, [], [1], ["x"], {}, {"kid": "x"}, [[[]]]),
)


def test_the_name_of_a_key_is_only_compared(attacker):
    for kid in NO_KEY_IDS:
        for secret in (b"", b"\0", b"key", attacker.secret):
            header = attacker.header | {"kid": kid}
            assert_401(attacker.ask(attacker.token(header=header, secret=secret)))
    attacker.accepted()


@pytest.mark.parametrize("name", ["jku", "x5u", "jwk", "x5c", "crit", "b64"])
def test_a_token_that_brings_its_key_or_extensions_is_refused(issuer, name):
    """Even under a right signature."""
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


def test_a_key_that_the_token_brings_is_not_used(attacker, rsa_key):
    numbers = rsa_key.public_key().public_numbers()
    jwk = {"kty": "RSA", "n": b64(numbers.n.to_bytes(256, "big")), "e": "AQAB", "kid": "mine"}
    forger = Attacker(attacker.client, rsa_key)
    for header in (
        {"alg": "RS256", "kid": "mine", "jwk": jwk},
        {"alg": "RS256", "jwk": jwk},
        {"alg": "RS256", "kid": attacker.kid, "jwk": jwk},
        {"alg": "RS256", "kid": attacker.kid},
        {"alg": "RS256", "x5c": [b64encode(b"x").decode()]},
    ):
        attacker.refused(forger.rs256(header=header))


def test_a_token_of_another_type_is_refused(attacker):
    for typ in (
        *("jwt", "at+JWT", "JWE", "dpop+jwt", "secevent+jwt", "logout+jwt", "JOSE", ""),
        *("application/jwt", None, 1, True, [], ["JWT"], {}),
    ):
        attacker.refused(attacker.headers(typ=typ))


# -- the claims


@pytest.mark.parametrize("name", ["exp", "iat", "iss", "aud", "sub", "jti"])
def test_each_claim_is_needed(attacker, name):
    payload = attacker.payload
    del payload[name]
    attacker.refused(attacker.token(payload))


@pytest.mark.parametrize("name", ["exp", "iat", "nbf"])
def test_a_time_of_another_type_is_refused(attacker, name):
    later = str(attacker.now + 600)
    attacker.accepted(attacker.written("exp", later))
    for value in (
        *(f'"{later}"', f"[{later}]", f'{{"a": {later}}}', f'"{later}.0"', f'" {later}"'),
        *("true", "false", "null", '""', "[]", "{}", "NaN", "Infinity", "-Infinity", '"NaN"'),
        *("1e400", "-1e400", "1e308", "9" * 400, "9" * 4_500, '"2030-01-01T00:00:00Z"'),
    ):
        assert_401(attacker.ask(attacker.written(name, value)))
    attacker.accepted()


@pytest.mark.parametrize("name", ["exp", "iat"])
def test_a_time_that_cannot_be_is_refused(attacker, name):
    for value in ("0", "-1", "-9999999999", "-1e308", "-" + "9" * 400, "0.0", "-0"):
        assert_401(attacker.ask(attacker.written(name, value)))
    attacker.accepted()


@pytest.mark.parametrize("name", ["iss", "aud", "sub", "jti"])
def test_a_text_of_another_type_is_refused(attacker, name):
    usual = json.dumps(attacker.payload[name])
    values = ["1", "0", "true", "false", "null", '""', "[]", "{}", "[null]", "1.5", "[[]]"]
    values += [f'{{"{name}": {usual}}}', f"[{usual}, 1]", f"[[{usual}]]", f"[{usual}, null]"]
    if name != "aud":
        values.append(f"[{usual}]")
    for value in values:
        assert_401(attacker.ask(attacker.written(name, value)))
    attacker.accepted()


def test_a_wrong_issuer_or_audience_is_refused(attacker):
    for name in ("iss", "aud"):
        for wrong in (
            *("x", "Finance_api", "FINANCE_API", "finance_api ", " finance_api", "finance_ap"),
            *(
                "finance_api\0",
                "finance_api,x",
                "finance",
                "https://finance_api",
                "*",
                "%",
                "\ud800",
            ),
        ):
            assert_401(attacker.ask(attacker.claims(**{name: wrong})))
    assert_401(attacker.ask(attacker.claims(aud=["x", "y"])))
    attacker.accepted()


def test_a_token_has_expired_at_the_exact_second(attacker):
    token = attacker.claims(exp=attacker.now + 60)
    clock = attacker.client.service.clock
    clock.advance(60 + LEEWAY - 1)
    attacker.accepted(token)
    clock.advance(1)
    attacker.refused(token, expired=True)
    clock.advance(10**8)
    attacker.refused(token, expired=True)


@pytest.mark.parametrize("name", ["iat", "nbf"])
def test_a_token_of_the_future_is_refused_beyond_the_leeway(attacker, name):
    attacker.accepted(attacker.claims(**{name: attacker.now + LEEWAY}))
    attacker.refused(attacker.claims(**{name: attacker.now + LEEWAY + 1}))


def test_a_life_longer_than_the_longest_is_refused(attacker):
    now = attacker.now
    attacker.accepted(attacker.claims(exp=now + MAX_TTL))
    attacker.refused(attacker.claims(exp=now + MAX_TTL + 1))
    attacker.refused(attacker.claims(iat=now - 1, exp=now + MAX_TTL))
    attacker.refused(attacker.claims(iat=now, exp=now))
    attacker.refused(attacker.claims(iat=now, exp=now - 1))


def test_the_subject_is_a_user_and_nothing_else(attacker):
    uuid, email = attacker.client.user.uuid, attacker.client.user.email
    for wrong in (
        *("00000000-0000-4000-8000-000000000000", email, str(attacker.client.user.id), "admin"),
        *(uuid.replace("-", ""), f"{{{uuid}}}", f"urn:uuid:{uuid}", f"{uuid} ", f"\n{uuid}"),
        *(f"{uuid}\0", "\0", "\ud800", f"{uuid}\ud800", "x" * 254, "x" * 5_000, "", "%", "_" * 36),
        *("' OR '1'='1", f"{uuid}' --", uuid[:-1], "..", "💰", uuid.replace("-", "\u2010")),
        uuid.translate(str.maketrans("0123456789", "０１２３４５６７８９")),
    ):
        assert_401(attacker.ask(attacker.claims(sub=wrong)))
    attacker.accepted()


def test_the_id_of_a_token_is_a_short_printable_text(attacker):
    for right in ("x", "x" * 254, "é", "😀", "a b", "'; DROP TABLE jwts; --", "%", "null"):
        attacker.accepted(attacker.claims(jti=right))
    for wrong in (
        *("\0", "a\0", "\ud800", "\udc00a", "", "x" * 255, "x" * 5_000, "\n", "a\tb", "\u2028"),
        *("\x7f", "\ufeff", "\u200b"),
    ):
        attacker.refused(attacker.claims(jti=wrong))
    attacker.refused(attacker.claims(jti="x" * 10_000))


def test_a_user_who_is_disabled_or_gone_is_refused(attacker):
    other = Attacker(attacker.client.service.client())
    change, user = other.client.service.change, other.client.user
    token = other.token()
    other.accepted(token)
    change(lambda s: s.users.update(user.id, enabled=False))
    attacker.refused(token)
    change(lambda s: s.users.update(user.id, enabled=True))
    other.accepted(token)
    change(lambda s: s.users.delete(user.id))
    attacker.refused(token)


def test_nobody_reads_another_s_data(attacker):
    other = Attacker(attacker.client.service.client())
    other.client.load(account(), record(1))
    assert other.accepted().json["transactions"]
    assert attacker.accepted().json["transactions"] == []
    for claims in ({"user": other.client.user.uuid}, {"email": other.client.user.email}):
        assert attacker.accepted(attacker.claims(**claims)).json["transactions"] == []


def test_premium_is_not_needed(service):
    Attacker(service.client(premium=False)).accepted()


# -- users by e-mail


def test_the_subject_may_be_an_e_mail_address_by_setting(issuer):
    user = issuer.client.user
    for right in (user.email, user.email.upper(), user.uuid, user.uuid.upper()):
        issuer.accepted(issuer.claims(sub=right))
        issuer.accepted(issuer.rs256(issuer.payload | {"sub": right, "iss": IDP}))


def test_an_e_mail_address_that_is_no_user_s_is_refused(issuer):
    email = issuer.client.user.email
    local, domain = email.split("@")
    for wrong in (
        *("nobody@example.org", "@", "@@", f"{email}@", f"{email}\0", f"x {email}", local),
        *(f"{email},a@b.org", f"<{email}>", f"{email}\n", "%@%", f"{local}@%", f"mailto:{email}"),
        *(f"{local}+x@{domain}", f"{local}@{domain}.", f"{local[:-1]}％@{domain}", "\ud800@a.org"),
        *("a" * 250 + "@b.org", "' OR 1=1 --@b.org", ""),
        # Put right they would be the user's; at their issuer they may be somebody else's.
        *(f" {email} ", f"{email} ", email.replace("e", "\x01e", 1), email.replace("s", "ſ", 1)),
    ):
        assert_401(issuer.ask(issuer.claims(sub=wrong)))
    issuer.accepted()


def test_a_deleted_user_s_jwt_does_not_open_the_next_one_s_data(issuer):
    """Before: 200, with the data of whoever got the address."""
    service, clock = issuer.client.service, issuer.client.service.clock
    leaver = Attacker(service.client(), issuer.rsa_key)
    email = leaver.client.user.email
    token = leaver.rs256(leaver.payload | {"sub": email, "iss": IDP})
    leaver.accepted(token)
    service.change(lambda s: s.users.delete(leaver.client.user.id))
    clock.advance(1)
    made = service.change(
        lambda s: make_user(s, email, premium=True, password=None, now=clock.now())
    )
    issuer.refused(token)
    for at in (clock.now(), clock.now() + 1):
        new = issuer.payload | {"sub": email, "iss": IDP, "iat": at}
        issuer.accepted(issuer.rs256(new))
    # A UUID is nobody else's, so an issuer's clock may be behind.
    issuer.accepted(issuer.claims(sub=made.uuid, iat=clock.now() - 1))


def test_the_memory_storage_s_user_is_older_than_any_jwt():
    """It is made anew at every start; its JWTs stay good."""
    settings = {
        "finance_api.storage": "memory",
        "finance_api.storage.memory.user": "anna@example.org",
        "finance_api.jwt.subject": "email",
    }
    service = Service("memory", settings)
    anna = service.change(lambda s: s.users.get("anna@example.org"))
    at = service.clock.now() - 100
    token = service.jwt(anna, subject=anna.email, issued_at=at, expires_at=at + 1_000)
    headers = {"Authorization": f"Bearer {token}"}
    assert service.web.get(PATH, headers=headers).status_int == 200
    service.stop()


def test_by_e_mail_too_a_user_who_is_disabled_or_gone_is_refused(issuer):
    other = Attacker(issuer.client.service.client(), issuer.rsa_key)
    change, user = other.client.service.change, other.client.user
    token = other.claims(sub=user.email)
    other.accepted(token)
    change(lambda s: s.users.update(user.id, enabled=False))
    issuer.refused(token)
    change(lambda s: s.users.delete(user.id))
    issuer.refused(token)


def test_without_the_setting_an_e_mail_address_is_no_subject(attacker):
    attacker.refused(attacker.claims(sub=attacker.client.user.email))


# -- the text


def test_only_one_text_is_the_token(attacker):
    good = attacker.token()
    header, payload, signature = good.split(".")
    for wrong in (
        *(f"{good}{end}" for end in ("=", "==", "===", ".", "..", ",", ";", "A", ".A", "%3D", "~")),
        *(f"{start}{good}" for start in (".", "=", "A", ",", "Bearer ", '"')),
        *(f"{header}={'='}.{payload}.{signature}", f"{header}.{payload}=.{signature}"),
        *(f"{header}.{payload}.{signature}.{signature}", f"{header}..{signature}", "..", "."),
        *(f"{header}.{payload} .{signature}", f"{header}. {payload}.{signature}"),
        *(f"{good} {good}", f"{good},{good}", f'"{good}"', good.upper(), good.swapcase()),
        *(f"{header}.{payload}.{signature[:-1]}", f"{payload}.{header}.{signature}"),
        *(f"{header}.{payload}", header, "A" * 8_000, "A." * 1_000),
        *(f"{header}.{payload}.{'A' * 8_000}", f"{header}.{payload}.{signature}" + "A" * 9_000),
        *(f"{good[:20]}\t{good[20:]}", f"{good[:20]}é{good[20:]}", f"{good}\x7f"),
    ):
        assert_401(attacker.ask(wrong))
    attacker.accepted(good)


def test_spare_bits_at_the_end_of_the_signature_are_none(attacker):
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    good = attacker.token()
    at = digits.index(good[-1])
    for spare in (1, 2, 3):
        attacker.refused(good[:-1] + digits[at + spare])


def test_the_alphabet_of_plain_base64_is_refused(attacker):
    for _ in range(200):
        good = attacker.token()
        if "-" in good and "_" in good:
            break
    attacker.accepted(good)
    for wrong in (good.replace("-", "+"), good.replace("_", "/")):
        attacker.refused(wrong)


def test_a_member_that_is_written_twice_is_refused(attacker):
    for name, value in attacker.payload.items():
        text = json.dumps(attacker.payload)
        assert_401(attacker.ask(attacker.token(f'{text[:-1]}, "{name}": {json.dumps(value)}}}')))
        assert_401(attacker.ask(attacker.token(f'{{"{name}": {json.dumps(value)}, {text[1:]}')))
    for name, value in attacker.header.items():
        text = json.dumps(attacker.header)
        again = f'{text[:-1]}, "{name}": {json.dumps(value)}}}'
        assert_401(attacker.ask(attacker.token(header=again)))
    attacker.accepted()


def test_a_segment_that_is_no_json_object_is_refused(attacker):
    for content in (
        *(b"null", b"[]", b'""', b"1", b"{", b"\xff\xfe", b"{}\0", b"[" * 4_000, b'{"a":' * 800),
        *(json.dumps(attacker.payload).encode("utf-16"), b"\xef\xbb\xbf{}", b"'a'", b"true"),
    ):
        assert_401(attacker.ask(attacker.token(content)))
        assert_401(attacker.ask(attacker.token(header=content)))
    attacker.accepted()


def test_the_scheme_is_read_in_any_case(attacker):
    token = attacker.token()
    for scheme in ("bearer ", "BEARER ", "Bearer  ", "bEaReR "):
        assert attacker.ask(token, scheme).status_int == 200
    for scheme in ("", "JWT ", "Token ", "Basic ", "Bearer", "Bearer:", "Bearer=", "\u00a0Bearer "):
        assert attacker.ask(token, scheme).status_int == 401


def test_a_token_elsewhere_than_in_the_header_does_not_count(attacker):
    token = attacker.token()
    for headers in (
        {"Cookie": f"token={token}; jwt={token}"},
        {"X-Api-Key": token},
        {"JWT": token},
    ):
        assert attacker.web.get(PATH, headers=headers, status="*").status_int == 401
    for name in ("access_token", "token"):
        assert attacker.web.get(f"{PATH}?{name}={token}", status="*").status_int == 400


# -- word lists


HOSTILE = ("", "../../x", "' OR 1=1", "\0", "\ud800", None, True, [], {}, [[None]], -1, 10**40)


def words(corpora, name):
    lines = (corpora / "jwt/ticarpi__jwt_tool" / name).read_text("utf-8").split("\n")
    return [line for line in lines if line]


def test_no_further_claim_does_harm(attacker, corpora):
    names = words(corpora, "common-payloads.half.txt")
    assert len(names) > 25
    names += ["cnf", "scope", "roles", "admin", "__proto__", "é", "", "\ud800"]
    checked = {"nbf", *attacker.payload}
    more = [name for name in names if name not in checked]
    for value in HOSTILE:
        attacker.accepted(attacker.claims(**dict.fromkeys(more, value)))
        for name in checked & {*names}:
            # A jti may be any short text, and a token may have been valid for ages.
            right = (name == "jti" and value in HOSTILE[1:3]) or (name == "nbf" and value == -1)
            response = attacker.ask(attacker.claims(**{name: value}))
            assert response.status_int == (200 if right else 401), (name, value)


def test_no_further_header_does_harm(attacker, corpora):
    names = words(corpora, "common-headers.txt")
    assert len(names) >= 5
    names += ["cty", "x5t", "zip", "enc", "epk", "p2c", "__proto__", "é", "", "\ud800"]
    checked = {"typ", "jku", "kid", "x5u", "x5c"}
    more = [name for name in names if name not in checked]
    for value in HOSTILE:
        attacker.accepted(attacker.headers(**dict.fromkeys(more, value)))
        for name in checked & {*names}:
            assert_401(attacker.ask(attacker.headers(**{name: value})))


def test_no_common_secret_signs(attacker, corpora):
    guesses = words(corpora, "jwt-common.half.txt")
    assert len(guesses) > 40
    wallarm = corpora / "jwt/wallarm__jwt-secrets/jwt.secrets.half.txt"
    lines = wallarm.read_bytes().split(b"\r\n")
    guesses = [guess.encode() for guess in guesses] + lines[::1_000]
    assert len(guesses) > 90
    for guess in guesses:
        assert_401(attacker.ask(attacker.token(secret=guess)))
    for near in (
        attacker.secret[:-1],
        attacker.secret + b"\0" * 33,
        b64(attacker.secret).encode(),
        attacker.kid.encode(),
        b"",
    ):
        assert_401(attacker.ask(attacker.token(secret=near)))
    # HMAC fills a short key with zeros: these are the same key.
    attacker.accepted(attacker.token(secret=attacker.secret + b"\0"))
    attacker.accepted()


# -- what is said, and where


def test_the_body_never_says_why(attacker):
    other = Attacker(attacker.client.service.client())
    change, now, jti = attacker.client.service.change, attacker.now, secrets.token_hex(8)
    revoked, disabled = attacker.claims(jti=jti), other.token()
    attacker.accepted(revoked)
    other.accepted(disabled)
    change(lambda s: s.jwts.add(Jwt(jti, None, None, now + 9_999, revoked_at=now)))
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


def test_a_token_of_one_surface_is_worthless_on_the_other(attacker):
    public, jwt = attacker.client.token, attacker.token()
    assert attacker.client.get("records").status_int == 200
    attacker.accepted(jwt)
    assert_401(attacker.ask(public))
    assert_401(attacker.ask(jwt, path="/v1/api/records"))
    assert_401(attacker.ask(jwt, path="/v1/api/api-usage/stats"))
    inside = attacker.claims(token=public, access_token=public)
    assert_401(attacker.ask(inside, path="/v1/api/records"))


# -- keys that follow one another


@pytest.fixture(params=STORAGES)
def rotating(request, new_settings):
    service = Service(request.param, new_settings(request.param))
    service.clock.set("2026-03-18T12:00:00Z")
    yield service
    service.stop()


def test_the_old_key_counts_until_the_cut_over(rotating):
    old = Attacker(rotating.client())
    overlap = MAX_TTL + LEEWAY
    early = old.token(old.payload | {"exp": old.now + MAX_TTL})
    old.accepted(early)
    kid = add_signing_key(rotating.key_file, now=old.now, overlap_seconds=overlap)
    new = Attacker(old.client)
    assert new.kid == kid
    assert new.secret != old.secret
    new.accepted(early)
    new.accepted(old.token())
    new.refused(new.token(secret=old.secret))
    new.refused(old.token(secret=new.secret))
    assert old.client.internal("get-records").status_int == 200
    rotating.clock.advance(overlap - 1)
    new.accepted(early)
    new.accepted(old.token())
    rotating.clock.advance(1)
    new.refused(old.token())
    new.refused(early)
    assert old.client.internal("get-records").status_int == 200


def test_a_key_that_is_taken_out_of_the_file_counts_no_longer(rotating):
    old = Attacker(rotating.client())
    token = old.token()
    old.accepted(token)
    add_signing_key(rotating.key_file, now=old.now, overlap_seconds=3_600)
    file = Path(rotating.key_file)
    file.write_text(json.dumps(json.loads(file.read_text())[1:]))
    Attacker(old.client).refused(token)


def test_a_key_file_that_breaks_while_the_service_runs_logs_nobody_out(rotating):
    attacker = Attacker(rotating.client())
    for broken in ("nonsense", '[{"kid": "x", "alg": ["HS256"]}]', '[{"kid": "x", "alg": {}}]'):
        Path(rotating.key_file).write_text(broken)
        attacker.accepted()


def test_without_keys_everybody_is_refused(rotating):
    attacker = Attacker(rotating.client())
    attacker.accepted()
    Path(rotating.key_file).unlink()
    assert_401(attacker.ask(attacker.token()))
    assert attacker.client.get("records").status_int == 200
    empty = hashlib.sha256(b"").digest()
    for secret in (b"", b"\0", empty, attacker.secret):
        assert_401(attacker.ask(attacker.token(secret=secret)))
