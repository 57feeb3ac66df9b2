"""Error bodies: RFC 9457 problem documents, the same from every layer."""

from collections.abc import Iterable, Mapping
from http import HTTPStatus

import orjson

CONTENT_TYPE = "application/problem+json"

#: The faults of a request that are listed.
_LISTED = 20


def problem_body(
    status: int,
    detail: str,
    errors: Iterable[Mapping[str, str]] = (),
    *,
    title: str | None = None,
    **members: str,
) -> bytes:
    """The JSON text of a problem.

    detail: one sentence for a person; it is repeated as ``error``, which older clients read.
    errors: ``{"in", "name", "message"}`` for each fault of the request; of many the first ones are
    listed, and ``moreErrors`` is how many more there are.
    title: instead of the status's. members: further members of the document.
    """
    document: dict[str, object] = {
        "type": "about:blank",
        "title": title or HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "error": detail,
    }
    faults = list(errors)
    if faults:
        document["errors"] = faults[:_LISTED]
    if len(faults) > _LISTED:
        document["moreErrors"] = len(faults) - _LISTED
    document.update(members)
    return orjson.dumps(document)
