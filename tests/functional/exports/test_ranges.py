"""Parts of links and exports: Range, If-Range, and downloads that go on (RFC 9110, section 14)."""

import math
import shutil
import subprocess

import pytest
from webtest import TestResponse

from finance_api.api import responding
from finance_api.runtime.time_limit import TookTooLong, seconds_left
from functional.servers.test_question_links import address_of
from support.native_rows import account, record
from support.question_links import Linked
from support.service import USUAL_LIMITS, Service, on_one_storage

QUERY = "sortBy=amount&fields=amount,payee"


class Ask:
    """Asks for a body: a link's, or an export's with a token."""

    def __init__(self, client, kind):
        self.client = client
        address = "/v1/api/export/records" if kind == "link of an export" else "/v1/api/records"
        self.linked = Linked(client, f"{address}?{QUERY}") if "link" in kind else None

    def __call__(self, ending=".csv", method="GET", **headers):
        if self.linked is not None:
            return self.linked.read(ending, method=method, **headers)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.service.web.request(
            f"/v1/api/export/records{ending}?{QUERY}",
            method=method,
            headers={**self.client.headers, **named},
            expect_errors=True,
        )


KINDS = ("link", "export", "link of an export")


@pytest.fixture(params=KINDS)
def ask(request, client):
    # More than 1,000 bytes: a smaller body is not compressed.
    client.load(account(), *(record(n, amount=-n, payee=f"Payee {n}") for n in range(1, 80)))
    return Ask(client, request.param)


@pytest.mark.parametrize(
    ("header", "start", "stop"),
    [
        ("bytes=0-", 0, None),
        ("bytes=0-9", 0, 10),
        ("bytes=17-", 17, None),
        ("Bytes=17-17", 17, 18),
        ("bytes=-7", -7, None),
        (" bytes=0-99999999999999999999 ", 0, None),
        ("bytes=-99999999999999999999", 0, None),
    ],
)
def test_a_part_is_sent(ask, header, start, stop):
    whole = ask()
    assert whole.headers["Accept-Ranges"] == "bytes"
    part = ask(Range=header)
    assert part.status_int == 206
    assert part.body == whole.body[start:stop]
    assert part.headers["Content-Length"] == str(len(part.body))
    first, *_ = slice(start, stop).indices(len(whole.body))
    expected = f"bytes {first}-{first + len(part.body) - 1}/{len(whole.body)}"
    assert part.headers["Content-Range"] == expected
    for name in ("ETag", "Content-Type", "Cache-Control", "Vary", "Accept-Ranges"):
        assert part.headers[name] == whole.headers[name]


@pytest.mark.parametrize(
    "header",
    [
        *("bytes=0-1,4-5", "bytes=0-1, -1", "bytes=-", "bytes=5-2", "lines=0-1", "bytes=x-"),
        *("bytes=0", "bytes 0-1", "bytes=0-1x", "bytes=1.5-", "bytes=--1", "", "bytes=\xb2-"),
        "bytes=" + "9" * 5_000 + "-",
    ],
)
def test_several_parts_and_malformed_ranges_get_the_whole(ask, header):
    whole = ask()
    answer = ask(Range=header)
    assert (answer.status_int, answer.body) == (200, whole.body)
    assert "Content-Range" not in answer.headers


def test_a_part_behind_the_end_is_a_416_that_says_where_the_end_is(ask):
    length = len(ask().body)
    for header in (f"bytes={length}-", f"bytes={length + 5}-{length + 9}", "bytes=-0"):
        answer = ask(Range=header)
        assert answer.status_int == 416
        assert answer.headers["Content-Range"] == f"bytes */{length}"
        assert answer.json["detail"].startswith(f"The body has {length:,} bytes, ")
    assert ask(Range=f"bytes={length - 1}-").body == b"\n"


def test_if_range_gets_a_part_of_the_same_body_only(ask):
    whole = ask()
    tag = whole.headers["ETag"]
    assert ask(Range="bytes=5-", If_Range=tag).body == whole.body[5:]
    for other in ('"other"', f"W/{tag}", "Sun, 29 Nov 2026 12:00:00 GMT", "nonsense"):
        answer = ask(Range="bytes=5-", If_Range=other)
        assert (answer.status_int, answer.body) == (200, whole.body)
    ask.client.load(record(99, payee="New"))
    changed = ask(Range="bytes=5-", If_Range=tag)
    assert changed.status_int == 200
    assert b"New" in changed.body


def test_other_conditions_come_first_and_head_has_no_parts(ask):
    tag = ask().headers["ETag"]
    assert ask(Range="bytes=5-", If_None_Match=tag).status_int == 304
    head = ask(method="HEAD", Range="bytes=5-")
    assert (head.status_int, head.body) == (200, b"")
    assert head.headers["Content-Length"] == str(len(ask().body))


@pytest.mark.parametrize("ending", [".csv", ".xlsx"])
@pytest.mark.parametrize("coding", ["identity", "gzip"])
def test_parts_add_up_to_the_whole(ask, ending, coding, monkeypatch):
    # WebTest would unpack the bodies.
    monkeypatch.setattr(TestResponse, "decode_content", lambda self: None)
    whole = ask(ending, Accept_Encoding=coding)
    tag, length = whole.headers["ETag"], len(whole.body)
    is_coded = (ending, coding) == (".csv", "gzip")
    assert (whole.headers.get("Content-Encoding") == "gzip") == is_coded
    found = b""
    for end in (*range(150, length, 150), length):
        header = f"bytes={len(found)}-{end - 1}"
        found += ask(ending, Range=header, If_Range=tag, Accept_Encoding=coding).body
    assert found == whole.body


@on_one_storage
def test_a_part_of_all_data_is_sent(client):
    client.load(account(), record(1))
    whole = client.get("export/all.ndjson").body
    part = client.get("export/all.ndjson", headers={"Range": "bytes=100-"})
    assert (part.status_int, part.body) == (206, whole[100:])


@on_one_storage
def test_a_part_has_no_time_limit_and_head_does_without_the_length(client, monkeypatch):
    left = []

    def chunks(*arguments):
        left.append(seconds_left())
        if left[-1] < math.inf:
            raise TookTooLong
        yield b"abc"

    client.load(account(), record(1))
    monkeypatch.setattr(responding, "export_chunks", chunks)
    ask = Ask(client, "export")
    assert ask(Range="bytes=1-").body == b"bc"
    assert left[0] == math.inf
    head = ask(method="HEAD")
    assert head.status_int == 200
    assert "Content-Length" not in head.headers


@on_one_storage
def test_lists_have_no_parts(client):
    paths = client.service.web.get("/v1/openapi.json").json["paths"]
    described = {path for path, each in paths.items() if "206" in each["get"]["responses"]}
    assert "/v1/api/export/records" in described
    assert {path.rpartition("/")[0] for path in described} == {"/v1/api/export"}
    client.load(account(), record(1))
    answer = client.get("records.csv", headers={"Range": "bytes=5-"})
    assert answer.status_int == 200
    assert "Accept-Ranges" not in answer.headers


@pytest.fixture
def usual():
    service = Service("memory", {"finance_api.storage": "memory", **USUAL_LIMITS})
    yield service
    service.stop()


@pytest.mark.parametrize("kind", KINDS)
def test_a_part_costs_its_share_of_the_whole_and_head_costs_1(usual, kind):
    client = usual.client()
    client.load(account(), *(record(n) for n in range(1, 2_102)))
    ask = Ask(client, kind)
    left = 500 if kind == "export" else 60
    half = len(ask().body) // 2
    left -= 4
    costs = [
        ({"method": "HEAD"}, 1),
        ({"Range": "bytes=999999999-"}, 1),
        *(({"Range": f"bytes={first}-{first}"}, 1) for first in (0, 1, half)),
        ({"Range": f"bytes=0-{half - 1}"}, 2),
        ({"Range": f"bytes=0-{half + 9}"}, 3),
        ({"Range": "bytes=0-"}, 4),
        ({"Range": "bytes=0-1,4-5"}, 4),
    ]
    for more, cost in costs:
        left -= cost
        assert ask(**more).headers["X-RateLimit-Remaining"] == str(left), more


def test_many_tiny_parts_use_up_the_quota(usual):
    client = usual.client()
    client.load(account(), *(record(n) for n in range(1, 2_102)))
    ask = Ask(client, "link")
    statuses = [ask(Range=f"bytes={first}-{first}").status_int for first in range(58)]
    # A part is made only if enough is left for the whole.
    assert statuses == [206] * 57 + [429]


def test_a_part_of_what_costs_more_than_the_limit_costs_its_share():
    limits = {**USUAL_LIMITS, "finance_api.ratelimit.links": "3/minute, 60/hour"}
    service = Service("memory", {"finance_api.storage": "memory", **limits})
    client = service.client()
    client.load(account(), *(record(n) for n in range(1, 4_102)))
    ask = Ask(client, "link")
    answer = ask(Range="bytes=0-9")
    assert '"minute";r=2' in answer.headers["RateLimit"]
    assert '"hour";r=59' in answer.headers["RateLimit"]
    service.stop()


@on_one_storage
@pytest.mark.parametrize("kind", ["export", "link of an export"])
def test_head_and_parts_of_an_export_take_one_of_the_places_for_downloads(client, kind):
    client.load(account(), record(1))
    ask = Ask(client, kind)
    with client.service.services.downloads.running(client.user.id):
        for more in ({"method": "HEAD"}, {"Range": "bytes=0-9"}):
            assert ask(**more).status_int == 429
    assert ask(Range="bytes=0-9").status_int == 206


@on_one_storage
@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize("kind", KINDS)
def test_curl_goes_on_with_a_download(client, tmp_path, kind):
    client.load(account(), *(record(n, amount=-n, payee=f"Payee {n}") for n in range(1, 60)))
    ask, path = Ask(client, kind), tmp_path / "records.csv"
    whole = ask()
    path.write_bytes(whole.body[:500])
    target = f"/q/{ask.linked.secret}.csv" if ask.linked else f"/v1/api/export/records.csv?{QUERY}"
    headers = ["-H", f"Authorization: Bearer {client.token}"] if kind == "export" else []
    with address_of(client.service) as address:

        def curl(*options):
            command = ["curl", "-sS", "-C", "-", "-o", path, *headers, *options, address + target]
            return subprocess.run(command, capture_output=True, timeout=60, check=False).returncode

        assert curl("-H", f"If-Range: {whole.headers['ETag']}", "-D", tmp_path / "head") == 0
        assert path.read_bytes() == whole.body
        assert f"Content-Length: {len(whole.body) - 500}" in (tmp_path / "head").read_text()
        path.write_bytes(whole.body[:500])
        assert curl() == 0
        assert path.read_bytes() == whole.body
        # Data that has changed is not put behind the old: curl refuses to go on.
        path.write_bytes(whole.body[:500])
        client.load(record(99, payee="New"))
        assert curl("-H", f"If-Range: {whole.headers['ETag']}") == 33
