"""Raw requests: ambiguous ones, and the requests in other projects' test files."""

import re

from support.corpora import CORPORA


def with_fields(fields, body=b"", line=b"POST /x HTTP/1.1"):
    return line + b"\r\n" + fields + b"\r\n" + body


CHUNKED = b"Host: x\r\nTransfer-Encoding: chunked\r\n"
AMBIGUOUS = {
    "length and coding": with_fields(CHUNKED + b"Content-Length: 4\r\n", b"0\r\n\r\n"),
    "coding and length": with_fields(
        b"Host: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n", b"0\r\n\r\n"
    ),
    "differing lengths": with_fields(
        b"Host: x\r\nContent-Length: 0\r\nContent-Length: 5\r\n", b"hello"
    ),
    "equal lengths": with_fields(
        b"Host: x\r\nContent-Length: 5\r\nContent-Length: 5\r\n", b"hello"
    ),
    "listed lengths": with_fields(b"Host: x\r\nContent-Length: 5, 5\r\n", b"hello"),
    "signed length": with_fields(b"Host: x\r\nContent-Length: +5\r\n", b"hello"),
    "negative length": with_fields(b"Host: x\r\nContent-Length: -1\r\n"),
    "empty length": with_fields(b"Host: x\r\nContent-Length:\r\n"),
    "hexadecimal length": with_fields(b"Host: x\r\nContent-Length: 0x5\r\n", b"hello"),
    "length with underscore": with_fields(b"Host: x\r\nContent-Length: 1_0\r\n", b"0123456789"),
    "identity coding": with_fields(b"Host: x\r\nTransfer-Encoding: identity\r\n"),
    "two codings": with_fields(b"Host: x\r\nTransfer-Encoding: gzip, chunked\r\n", b"0\r\n\r\n"),
    "chunked twice": with_fields(CHUNKED + b"Transfer-Encoding: chunked\r\n", b"0\r\n\r\n"),
    "coding hidden behind VT": with_fields(b"Host: x\r\nTransfer-Encoding: \x0bchunked\r\n"),
    "empty coding": with_fields(b"Host: x\r\nTransfer-Encoding:\r\n"),
    "chunked in HTTP/1.0": with_fields(CHUNKED, b"0\r\n\r\n", b"POST /x HTTP/1.0"),
    "two hosts": with_fields(b"Host: x\r\nHost: y\r\n"),
    "host missing": with_fields(b"Accept: */*\r\n"),
    "host empty": with_fields(b"Host:\r\n"),
    "host with a path": with_fields(b"Host: x/y\r\n"),
    "host with a user": with_fields(b"Host: a@x\r\n"),
    "two identities": with_fields(b"Host: x\r\nAuthorization: a\r\nAuthorization: b\r\n"),
    "blank before the colon": with_fields(b"Host: x\r\nContent-Length : 5\r\n", b"hello"),
    "blank in a name": with_fields(b"Host: x\r\nX Y: z\r\n"),
    "no name": with_fields(b"Host: x\r\n: z\r\n"),
    "no colon": with_fields(b"Host: x\r\nnonsense\r\n"),
    "folded line": with_fields(b"Host: x\r\nX: a\r\n b\r\n"),
    "folded first line": with_fields(b" Host: x\r\n"),
    "bare LF between headers": with_fields(b"Host: x\r\nX: a\nContent-Length: 5\r\n", b"hello"),
    "bare CR in a header": with_fields(b"Host: x\r\nX: a\rY: b\r\n"),
    "NUL in a header": with_fields(b"Host: x\r\nX: a\0b\r\n"),
    "DEL in a header": with_fields(b"Host: x\r\nX: a\x7fb\r\n"),
    "only LF": b"GET / HTTP/1.1\nHost: x\n\n",
    "no version": with_fields(b"Host: x\r\n", line=b"GET /x"),
    "two blanks": with_fields(b"Host: x\r\n", line=b"GET  /x HTTP/1.1"),
    "tab in the request line": with_fields(b"Host: x\r\n", line=b"GET\t/x HTTP/1.1"),
    "blank at the end": with_fields(b"Host: x\r\n", line=b"GET /x HTTP/1.1 "),
    "blank at the start": with_fields(b"Host: x\r\n", line=b" GET /x HTTP/1.1"),
    "blank in the target": with_fields(b"Host: x\r\n", line=b"GET /x y HTTP/1.1"),
    "method in lower case": with_fields(b"Host: x\r\n", line=b"get /x HTTP/1.1"),
    "control byte in the target": with_fields(b"Host: x\r\n", line=b"GET /\x01 HTTP/1.1"),
    "relative target": with_fields(b"Host: x\r\n", line=b"GET x HTTP/1.1"),
    "asterisk for GET": with_fields(b"Host: x\r\n", line=b"GET * HTTP/1.1"),
    "other host in the target": with_fields(b"Host: x\r\n", line=b"GET http://y/ HTTP/1.1"),
    "broken host in the target": with_fields(b"Host: x\r\n", line=b"GET http://[/ HTTP/1.1"),
    "other scheme in the target": with_fields(b"Host: x\r\n", line=b"GET ftp://x/ HTTP/1.1"),
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00",
    "signed chunk size": with_fields(CHUNKED, b"+5\r\nhello\r\n0\r\n\r\n"),
    "chunk size with underscore": with_fields(CHUNKED, b"1_0\r\n"),
    "prefixed chunk size": with_fields(CHUNKED, b"0x5\r\nhello\r\n0\r\n\r\n"),
    "blank after the chunk size": with_fields(CHUNKED, b"5 \r\nhello\r\n0\r\n\r\n"),
    "LF after the chunk size": with_fields(CHUNKED, b"5\nhello\r\n0\r\n\r\n"),
    "LF before an extension": with_fields(CHUNKED, b"5\n;\r\nhello\r\n0\r\n\r\n"),
    "LF in an extension": with_fields(CHUNKED, b"5;a\nb\r\nhello\r\n0\r\n\r\n"),
    "CR in an extension": with_fields(CHUNKED, b"5;a=b\rc\r\nhello\r\n0\r\n\r\n"),
    "empty extension": with_fields(CHUNKED, b"5;\r\nhello\r\n0\r\n\r\n"),
    "no chunk size": with_fields(CHUNKED, b"\r\n5\r\nhello\r\n0\r\n\r\n"),
    "chunk too long": with_fields(CHUNKED, b"5\r\nhello!\r\n0\r\n\r\n"),
    "chunk too short": with_fields(CHUNKED, b"5\r\nhell\r\n0\r\n\r\n"),
    "length as a trailer": with_fields(CHUNKED, b"0\r\nContent-Length: 5\r\n\r\n"),
    "folded trailer": with_fields(CHUNKED, b"0\r\nX: a\r\n b\r\n\r\n"),
}

CORPUS = sorted((CORPORA / "http-raw").glob("*/*/*.http"))

#: Requests that the project they come from refuses and this one accepts, and why that is safe.
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
