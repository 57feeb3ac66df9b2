"""Error bodies: RFC 9457 problem documents, the same from every layer."""

from collections.abc import Iterable, Mapping
from http import HTTPStatus

import orjson

CONTENT_TYPE = "application/problem+json"


def problem_body(
    status: int, detail: str, errors: Iterable[Mapping[str, str]] = (), **members: str
) -> bytes:
    """The JSON text of a problem.

    detail: one sentence for a person; it is repeated as ``error``, which older clients read.
    errors: ``{"in", "name", "message"}`` for each fault of the request.
    members: further members of the document.
    """
    document: dict[str, object] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "error": detail,
    }
    listed = list(errors)
    if listed:
        document["errors"] = listed
    document.update(members)
    return orjson.dumps(document)
