"""Project Wycheproof's vectors of JSON Web Signatures and Encryption: none of them gets in.

https://github.com/C2SP/wycheproof
"""

import json
from base64 import urlsafe_b64decode
from collections import Counter

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from finance_api.auth import jwts
from finance_api.auth.jwt_keys import JwtKey, read_key_file
from finance_api.auth.jwts import JwtRefused, JwtRules, verify_jwt
from support.jwt_keys import key_set, refusal

FILES = ("signature", "crypto", "key", "encryption")
NOW = 1_800_000_000
RULES = JwtRules(("finance_api",), "finance_api", max_ttl_seconds=10**9, leeway_seconds=30)
CURVES = {"P-256": ec.SECP256R1, "P-384": ec.SECP384R1, "P-521": ec.SECP521R1}
#: The algorithms of the key file; PyJWT knows more.
OURS = ("HS256", "RS256", "ES256")
#: In these tests the token is right, but the JSON Web Key, or its key set, is faulty.
ABOUT_THE_KEY = {
    *("invalidBase64Padding", "rejectWrongUse", "rejectWrongKeyOps"),
    *("rejectsKeyWithRocaVulnerability", "rejectsValid", "rejectsModifiedKey", "rejectsAesKey"),
    "mismatchedAlgAndCurve",
}
#: Faults of keys for which a key file is refused.
REFUSED_KEYS = ABOUT_THE_KEY - {
    # The key itself is right: these are about the token's padding, or a public key beside a secret.
    "invalidBase64Padding",
    "rejectsValid",
    # A weakness of keys from some hardware, which only an attempt to factor them would show.
    "rejectsKeyWithRocaVulnerability",
} | {"rejectsPublicExponent1", "key_too_short", "empty_key"}
#: Accepted by the vectors, which skip characters outside of base64url; refused here.
LAX = {"InvalidCharacterInsertedInPayload"}


@pytest.fixture(scope="module")
def vectors(corpora):
    """(file, JSON Web Keys of the group, test)"""
    found = []
    for name in FILES:
        path = corpora / f"jwt/C2SP__wycheproof/json_web_{name}_test.half.json"
        for group in json.loads(path.read_text("utf-8"))["testGroups"]:
            key = group.get("public") or group["private"]
            keys = key.get("keys", [key])
            found += [(name, keys, test) for test in group["tests"]]
    assert len(found) > 300
    return found


def number(text):
    return int.from_bytes(urlsafe_b64decode(text + "=="), "big")


def material(jwk):
    """Return the key itself; None for a key that no key file can have."""
    try:
        if jwk["kty"] == "oct":
            return urlsafe_b64decode(jwk["k"] + "==")
        if jwk["kty"] == "RSA":
            return rsa.RSAPublicNumbers(number(jwk["e"]), number(jwk["n"])).public_key()
        curve = CURVES[jwk["crv"]]()
        x, y = number(jwk["x"]), number(jwk["y"])
        return ec.EllipticCurvePublicNumbers(x, y, curve).public_key()
    except (KeyError, ValueError):
        return None


def our_keys(jwks):
    """Return our own keys for as many of these as possible."""
    kinds = {"oct": "HS256", "RSA": "RS256", "EC": "ES256"}
    found = [(jwk, material(jwk)) for jwk in jwks]
    return [JwtKey(jwk.get("kid", ""), kinds[jwk["kty"]], key) for jwk, key in found if key]


def text_of(test):
    token = test.get("jws", test.get("jwe"))
    return token if isinstance(token, str) else json.dumps(token)


def signature_holds(token, keys):
    """Whether the parts that `verify_jwt` checks before the claims are right: form, header,
    signature.
    """
    try:
        match = jwts._FORM.fullmatch(token)
        if match is None:
            return False
        header, _, _ = (jwts._canonical(segment) for segment in match.groups())
        key = jwts._key_of(jwts._object(header), keys)
        jwt.PyJWS().decode(token, key.material, algorithms=[key.algorithm])
    except (JwtRefused, jwt.PyJWTError):
        return False
    return True


@pytest.mark.filterwarnings("ignore::jwt.warnings.InsecureKeyLengthWarning")
def test_no_vector_is_a_token_of_ours(vectors):
    tried = 0
    for _, jwks, test in vectors:
        keys = our_keys(jwks)
        for given in (keys, keys[:1], keys[-1:], []):
            with pytest.raises(JwtRefused):
                verify_jwt(text_of(test), given, RULES, NOW)
            tried += 1
    assert tried > 1_200


@pytest.mark.filterwarnings("ignore::jwt.warnings.InsecureKeyLengthWarning")
def test_no_invalid_signature_holds(vectors):
    seen = Counter()
    for file, jwks, test in vectors:
        if test["result"] != "invalid" or "jws" not in test or test["comment"] in ABOUT_THE_KEY:
            continue
        held = signature_holds(text_of(test), our_keys(jwks))
        assert not held, (file, test["tcId"], test["comment"])
        seen[file] += 1
    assert seen["signature"] >= 170
    assert sum(seen.values()) > 190


def test_valid_signatures_of_our_algorithms_hold(vectors):
    """Shows that the previous test can fail."""
    held = set()
    for _, jwks, test in vectors:
        if test["result"] != "valid" or "jws" not in test or jwks[0].get("alg") not in OURS:
            continue
        holds = signature_holds(test["jws"], our_keys(jwks))
        # We accept no token without a payload.
        assert holds is not (test["comment"] in LAX or ".." in test["jws"]), test
        held |= {jwks[0]["alg"]} if holds else set()
    assert held == {"HS256", "RS256"}


def test_a_key_file_with_a_wrong_key_of_the_vectors_is_refused(vectors, tmp_path):
    path = tmp_path / "keys.json"
    seen = set()
    for file, jwks, test in vectors:
        if test["comment"] in REFUSED_KEYS and file in ("signature", "key"):
            path.write_text(key_set(*({"alg": "RS256"} | jwk for jwk in jwks)))
            assert refusal(str(path)), test
            seen.add(test["comment"])
    assert seen == REFUSED_KEYS


def test_a_key_file_with_a_right_key_of_the_vectors_is_read(vectors, tmp_path):
    path = tmp_path / "keys.json"
    read = 0
    for file, jwks, test in vectors:
        if file == "key" and test["result"] == "valid" and jwks[0]["alg"] in OURS:
            path.write_text(key_set(*jwks))
            assert signature_holds(test["jws"], read_key_file(str(path)))
            read += 1
    assert read >= 2
