"""Raw requests of other projects, read where they lie."""

import os
import re
from pathlib import Path

import pytest

CORPORA = Path(
    os.environ.get("FINANCE_TEST_CORPORA", Path(__file__).parents[4] / "shared" / "corpora")
)
FILES = sorted((CORPORA / "http-raw").glob("*/*/*.http"))

# Refused by the project that collected them, taken here, and why that does no harm.
TAKEN = {
    "040.http": "header names with an underscore are dropped, none of them frames the message",
    "007.http": "one header line of 8 KiB, under our cap",
    "009.http": "more header lines than its cap, fewer than ours",
    "017.http": "one header line of 8 KiB, under our cap",
    "limit_header_default_01.http": "one header line of 8 KiB, under our cap",
}
ESCAPES = {b"r": b"\r", b"n": b"\n", b"t": b"\t", b"0": b"\0"}


def message(path):
    text = path.read_bytes().replace(b"\r", b"").replace(b"\n", b"")
    return re.sub(
        rb"\\(?:x([0-9A-Fa-f]{2})|([rnt0]))",
        lambda found: bytes.fromhex(found[1].decode()) if found[1] else ESCAPES[found[2]],
        text,
    )


def files(verdict):
    chosen = [path for path in FILES if path.parent.name == verdict]
    if not chosen:
        return [pytest.param(None, marks=pytest.mark.skip(reason=f"no corpus at {CORPORA}"))]
    return [pytest.param(path, id=path.name) for path in chosen]


@pytest.mark.parametrize("path", files("invalid"))
def test_an_invalid_message_of_the_corpus_gets_one_refusal_at_most(server, path):
    answers = server.exchange(message(path))
    assert len(answers) <= 1
    if path.name in TAKEN:
        assert not any(answer.status >= 500 for answer in answers)
    else:
        assert not any(answer.status < 400 for answer in answers)


@pytest.mark.parametrize("path", files("valid"))
def test_a_valid_message_of_the_corpus_is_never_a_fault_of_the_server(server, path):
    answers = server.exchange(message(path))
    assert answers
    assert not any(answer.status >= 500 for answer in answers)
    assert server.exchange(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")[0].status == 200
