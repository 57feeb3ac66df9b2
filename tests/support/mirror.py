"""A copy of what the lists show, kept by the changes."""

import json
from typing import Any

from support.service import Client

#: As they are named in changes, in their order there.
TYPES = (
    "accounts",
    "budgets",
    "categories",
    "goals",
    "labels",
    "record-rules",
    "records",
    "standing-orders",
)
_DATA = '"data":'


class Mirror:
    """rows: the text of each row's object, by type and id. changes: all that were applied."""

    def __init__(self, client: Client, types: tuple[str, ...] = TYPES) -> None:
        self.client = client
        self.types = types
        self.rows: dict[tuple[str, str], str] = {}
        self.changes: list[dict[str, Any]] = []
        self.since = "0"
        self.is_through = False

    def read_page(self, limit: int = 100) -> list[dict[str, Any]]:
        """Applies a page, and returns its changes."""
        answer = self.client.get(
            "changes", since=self.since, limit=limit, types=",".join(self.types)
        )
        assert answer.status_int == 200, answer.text
        found: dict[str, Any] = answer.json
        assert (found["since"], len(found["changes"]) <= limit) == (self.since, True)
        texts = _texts(answer.text)
        for change in found["changes"]:
            key = change["type"], change["id"]
            if change["op"] == "put":
                self.rows[key] = next(texts)
                assert change["data"]["id"] == change["id"]
            else:
                assert (change["op"], "data" in change) == ("delete", False)
                self.rows.pop(key, None)
        assert next(texts, None) is None
        assert found["next"] != self.since or not found["hasMore"]
        self.changes += found["changes"]
        self.since, self.is_through = found["next"], not found["hasMore"]
        return list(found["changes"])

    def read_all(self, limit: int = 100) -> list[dict[str, Any]]:
        """Until it is through."""
        changes = self.read_page(limit)
        while not self.is_through:
            changes += self.read_page(limit)
        return changes

    def check(self) -> None:
        """It holds what the lists show, to the byte."""
        shown = {}
        for path in self.types:
            offset: int | None = 0
            while offset is not None:
                page = self.client.get(f"{path}.ndjson", limit=100, offset=offset)
                for line in page.text.splitlines():
                    shown[path, json.loads(line)["id"]] = line
                following = page.headers["X-Next-Offset"]
                offset = int(following) if following else None
        assert self.rows == shown


def _texts(body: str) -> Any:
    """The objects of the changes as they are written."""
    decoder, at = json.JSONDecoder(), 0
    while (found := body.find(_DATA, at)) >= 0:
        begin = found + len(_DATA)
        _, at = decoder.raw_decode(body, begin)
        yield body[begin:at]
