"""Texts that are almost JSON Web Tokens, and tokens with hostile texts.

Every attack starts from an accepted token (see `Attacker.accepted`), so that nothing is refused for
another reason.
"""

from support.jwt_attacks import PATH, assert_401


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


def test_the_alphabet_of_plain_base64_is_refused(attacker):
    for _ in range(200):
        good = attacker.token()
        if "-" in good and "_" in good:
            break
    attacker.accepted(good)
    for wrong in (good.replace("-", "+"), good.replace("_", "/")):
        attacker.refused(wrong)


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
