"""The head of a request: its request line and header lines, with caps and strict syntax.

Everything that two servers could understand differently is refused, so that nothing in front of
this one can be made to see other messages than it does (RFC 9112 sections 2.2, 3, 5 and 6,
RFC 9110 section 5.5).
"""

import re

from finance_api.server.refusal import Refusal

MAX_TARGET_BYTES = 8192
MAX_HEADER_BYTES = 16384
MAX_HEADER_LINES = 100
MAX_BODY_BYTES = 65536

FIELD_LINE = re.compile(rb"([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([\t\x20-\x7e\x80-\xff]*)")

# Room for the method, the version and the two spaces of a request line still without an end.
_LINE_MARGIN = 64
_REQUEST_LINE = re.compile(rb"([A-Z][A-Z-]{0,31}) ([\x21-\x7e]+) HTTP/([0-9]\.[0-9])")
_ABSOLUTE = re.compile(rb"https?://([^/?#]+)(?:[/?#].*)?", re.IGNORECASE)
HOST = re.compile(rb"(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{0,5})?")
_LENGTH = re.compile(rb"[0-9]+")
# Where a second one would have to be ignored or believed, and servers differ in which.
_SINGLE = frozenset(
    (b"host", b"content-length", b"transfer-encoding", b"content-type", b"authorization")
)


def check_size(head: bytes) -> None:
    """Refuse as soon as a cap is passed or a stray control byte has come.

    head: what has arrived before the blank line, complete or not. Its size is then bounded by the
    caps and one read of the socket.
    """
    # The last byte may be the first half of a line end.
    head = head.removesuffix(b"\r")
    line, end, fields = head.partition(b"\r\n")
    if len(line) > MAX_TARGET_BYTES:
        target = line.partition(b" ")[2].rpartition(b" ")[0] if end else line[_LINE_MARGIN:]
        if len(target) > MAX_TARGET_BYTES:
            raise Refusal(414, f"the request target is longer than {MAX_TARGET_BYTES} bytes")
    if len(fields) > MAX_HEADER_BYTES:
        raise Refusal(431, f"the headers are longer than {MAX_HEADER_BYTES} bytes")
    if fields.count(b"\r\n") > MAX_HEADER_LINES:
        raise Refusal(431, f"there are more than {MAX_HEADER_LINES} header lines")
    pairs = head.count(b"\r\n")
    if head.count(b"\r") != pairs or head.count(b"\n") != pairs or b"\0" in head:
        raise Refusal(400, "a line of the request holds a bare CR, a bare LF or a NUL")


def check_head(head: bytes) -> dict[bytes, bytes]:
    """Refuse a malformed or ambiguous head; the headers that may come once, in lower case.

    head: complete, up to and with the end of its last line, already through ``check_size``.
    """
    line, _, fields = head.partition(b"\r\n")
    target, version = _request_line(line)
    single = _fields(fields)
    _check_host(target, version, single)
    _check_framing(version, single)
    return single


def method_of(head: bytes) -> str:
    """The method, as far as it can be told, of a head that may be refused."""
    return "HEAD" if head.startswith(b"HEAD ") else ""


def _request_line(line: bytes) -> tuple[bytes, bytes]:
    match = _REQUEST_LINE.fullmatch(line)
    if not match:
        if any(byte > 0x7E for byte in line):
            raise Refusal(
                400,
                "the request target holds bytes that have to be percent-encoded, as in caf%C3%A9",
            )
        raise Refusal(400, "the request line is malformed")
    method, target, version = match.groups()
    if version not in (b"1.0", b"1.1"):
        raise Refusal(505, "this server speaks HTTP/1.0 and HTTP/1.1")
    if not (
        target.startswith(b"/")
        or _ABSOLUTE.fullmatch(target)
        or (target == b"*" and method == b"OPTIONS")
    ):
        raise Refusal(400, "the request target is neither a path nor an http URL")
    return target, version


def _fields(fields: bytes) -> dict[bytes, bytes]:
    """The values of the headers that may come once, by name in lower case."""
    single: dict[bytes, bytes] = {}
    for line in fields.split(b"\r\n")[:-1]:
        match = FIELD_LINE.fullmatch(line)
        if not match:
            # Folded lines, blanks before the colon and control bytes all end here.
            raise Refusal(400, "a header line is malformed")
        name = match[1].lower()
        if name in _SINGLE:
            if name in single:
                raise Refusal(400, f"there is more than one {name.decode()} header")
            single[name] = match[2].strip(b" \t")
    return single


def _check_host(target: bytes, version: bytes, single: dict[bytes, bytes]) -> None:
    host = single.get(b"host")
    if host is None:
        if version == b"1.1":
            raise Refusal(400, "the Host header is missing")
    elif not HOST.fullmatch(host):
        raise Refusal(400, "the Host header is malformed")
    absolute = _ABSOLUTE.fullmatch(target)
    # RFC 9112 section 3.2.2 lets the target win; a client that means well sends the same twice.
    if absolute and (host is None or absolute[1].lower() != host.lower()):
        raise Refusal(400, "the request target names another host than the Host header")


def _check_framing(version: bytes, single: dict[bytes, bytes]) -> None:
    coding = single.get(b"transfer-encoding")
    length = single.get(b"content-length")
    if coding is not None:
        if length is not None:
            raise Refusal(400, "there are both Content-Length and Transfer-Encoding")
        if version == b"1.0" or coding.lower() != b"chunked":
            raise Refusal(400, "Transfer-Encoding can only be chunked, and only in HTTP/1.1")
    elif length is not None:
        if not _LENGTH.fullmatch(length):
            raise Refusal(400, "Content-Length is not a number")
        # Counted first: Python refuses to read a number of thousands of digits.
        if len(length.lstrip(b"0")) > 9 or int(length) > MAX_BODY_BYTES:
            raise Refusal(413, f"the body is longer than {MAX_BODY_BYTES} bytes")
