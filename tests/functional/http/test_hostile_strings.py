"""Public lists of strings that break programs: as operands, names, sort keys, headers, paths.

None may cause a 5xx, show more rows than it matches, or reveal internals.
"""

import json
import re
import unicodedata
from pathlib import Path
from urllib.parse import quote

import pytest

from support.native_rows import account, record
from support.nightly import count
from support.service import STORAGES

pytestmark = pytest.mark.nightly

#: Files without hostile texts: only licences, or names for other programs.
LEFT_OUT = ("UPSTREAM-LICENSE.txt",)
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
OWN = ("%", "_", "\\", "'; DROP TABLE records; --", "\x00", "a\x00b", "\ufeff", "\uffff")
OWN += ("1" * 50_000, "\\u0000", "%00", "%s%n", "${7*7}", "{{7*7}}", "../../etc/passwd", "\r\nX: y")


def read(directory: Path) -> list[str]:
    strings: dict[str, None] = dict.fromkeys(OWN)
    for path in sorted(directory.rglob("*")):
        if not path.is_file() or path.name in LEFT_OUT:
            continue
        text = path.read_bytes().decode("utf-8", "replace")
        if path.suffix == ".json":
            strings.update(dict.fromkeys(json.loads(text)))
        else:
            strings.update(dict.fromkeys(text.splitlines()))
    # Half of a surrogate pair cannot be sent.
    return [s for s in strings if not re.search("[\ud800-\udfff]", s)]


def by_day(strings: list[str]) -> list[str]:
    """Return our own strings, and by day every tenth of the others, at night all."""
    return [*OWN, *strings[len(OWN) :: count(10, 1)]]


@pytest.fixture(scope="module")
def strings(corpora):
    directory = corpora / "strings"
    if not directory.is_dir():
        pytest.skip(f"there are no strings in {directory}")
    found = read(directory)
    assert len(found) > 1_000
    return by_day(found)


@pytest.fixture
def share(service, strings):
    """At night, return a third of the strings for each storage, where the storage does not
    matter.
    """
    return strings[STORAGES.index(service.kind) :: count(1, 3)]


def clean(text):
    """Return the text as the contract stores and compares it."""
    return unicodedata.normalize("NFC", CONTROLS.sub("", text))


def assert_harmless(response, allowed):
    assert response.status_int in allowed, (response.status_int, response.text)
    if response.status_int != 200:
        assert response.headers["Content-Type"] == "application/problem+json"
        assert not any(word in response.text for word in ("Traceback", "sqlalchemy", 'File "'))


@pytest.fixture
def stored(client, strings):
    """Load some of the strings as payees of records; return their cleaned texts."""
    kept = [
        s
        for s in strings[:: count(2, 9)]
        if "\x00" not in s and len(s) < 5_000 and clean(s).strip()
    ]
    client.load(account(), *(record(n, payee=text) for n, text in enumerate(kept, 1)))
    return [clean(text) for text in kept]


def total(client, operand):
    response = client.get("records", payee=operand, withTotal="true", limit=1)
    assert_harmless(response, (200, 400, 414))
    return response.json["total"] if response.status_int == 200 else None


def test_an_operand_matches_itself_and_nothing_more(client, strings, stored):
    folded = [text.casefold() for text in stored]
    # To save time, test all on SQLite, and one half on each of the other storages.
    first, step = {"sqlite": (0, 1), "memory": (0, 2), "postgresql": (1, 2)}[client.service.kind]
    for number, text in enumerate(strings[first::step]):
        wanted = clean(text)
        prefix = ("contains", "contains-i")[number % 2]
        if len(text) > 256 or "\x00" in text or not wanted:
            expected = None
        elif prefix == "contains":
            expected = sum(wanted in other for other in stored)
        else:
            expected = sum(wanted.casefold() in other for other in folded)
        assert total(client, f"{prefix}.{text}") == expected, text


def test_every_stored_string_is_found_and_given_back(client, stored):
    for text in stored:
        if len(text) > 256:
            continue
        answer = client.get("records", payee=f"eq.{text}", limit=100).json["records"]
        assert [row["payee"] for row in answer] == [text] * stored.count(text), text
    for accept in ("application/json", "text/csv", "application/x-ndjson"):
        for offset in range(0, len(stored), 100):
            page = client.get("records", limit=100, offset=offset, headers={"Accept": accept})
            assert page.status_int == 200
            page.body.decode("utf-8")


def test_other_kinds_of_parameters_refuse_them(client, share):
    usual = {"true", "false", "cash", "0", "1", "id", "amount", "2026-01-01"}
    for text in share:
        if text in usual or len(text) > 800:
            continue
        operand = text[:200]
        response = client.get(
            "records",
            sortBy=text,
            limit=f"x{text}",
            withTotal=f"{text}.",
            id=operand + "z",
            paymentType=operand + "z",
            amount=f"eq.{operand}z",
            recordDate=f"gt.{operand}z",
            recordState=f"{operand}.z",
        )
        assert_harmless(response, (400, 414))
        if response.status_int == 400:
            named = {fault["name"] for fault in response.json["errors"]}
            others = {"limit", "withTotal", "id", "paymentType", "amount", "recordDate"}
            assert others <= named or response.json["moreErrors"] > 0, text


def test_a_parameter_of_that_name_is_unknown(client, share):
    known = {"limit", "offset", "sortBy", "withTotal", "id", "amount", "name", "payee", "note"}
    for text in share:
        if text in known or len(quote(text, safe="")) > 7_000:
            continue
        assert_harmless(client.get(f"labels?{quote(text, safe='')}=1"), (400,))
        # Send it without encoding as far as possible.
        raw = quote(text, safe="%&=+;?/:@!$'()*,[]{}|\\^`<>\"~#")
        if "#" not in raw:
            is_a_name = raw and not {*"%&=+"}.intersection(raw)
            allowed = (400,) if is_a_name else (200, 400)
            assert_harmless(client.get(f"labels?{raw}"), allowed)


def test_a_path_of_that_name_is_not_found(client, share):
    web = client.service.web
    for text in share:
        if len(text) > 1_000 or not text:
            continue
        # The test client would take what follows a question mark for the query.
        path = quote(text.replace("?", ""), safe="")
        response = web.get(f"/v1/api/{path}x", headers=client.headers, status="*")
        assert_harmless(response, (400, 404, 414))


def test_headers_with_them_change_nothing(client, share):
    names = ("Accept", "If-None-Match", "Origin", "X-Forwarded-For", "User-Agent", "Referer")
    for text in share:
        if len(text) > 2_000:
            continue
        # Characters that a header can contain: no control characters, bytes as Latin-1.
        value = re.sub("[\x00-\x1f\x7f]", "", text).encode().decode("latin-1")
        response = client.get("labels", limit=1, headers=dict.fromkeys(names, value))
        assert_harmless(response, (200, 304, 406))
        refused = client.get("labels", headers={"Authorization": f"Bearer {value}"})
        assert_harmless(refused, (401,))
        host = client.get("labels", headers={"Host": value})
        if value.lower() not in ("localhost", "127.0.0.1", "[::1]"):
            assert_harmless(host, (200, 400))
            assert host.status_int == 400 or "localhost" in value or "127.0.0.1" in value
