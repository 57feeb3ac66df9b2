"""A copy of the lists that is kept up to date by reading changes."""

import json
from typing import Any

from support.service import Client

#: The types as changes name and order them.
TYPES = (
    *("accounts", "budgets", "categories", "goals", "labels", "record-rules", "records"),
    "standing-orders",
)
_DATA = '"data":'


class Mirror:
    """rows: each object's JSON text, by type and id. changes: all applied changes."""

    def __init__(self, client: Client, types: tuple[str, ...] = TYPES) -> None:
        self.client = client
        self.types = types
        self.rows: dict[tuple[str, str], str] = {}
        self.changes: list[dict[str, Any]] = []
        self.since = "0"
        self.is_through = False

    def read_page(self, limit: int = 100) -> list[dict[str, Any]]:
        """Apply a page of changes, and return them."""
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
        """Apply pages until there are no more changes. Return all these changes."""
        changes = self.read_page(limit)
        while not self.is_through:
            changes += self.read_page(limit)
        return changes

    def check(self) -> None:
        """Check that the copy equals the lists byte for byte."""
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
    """Yield the objects of the changes as text, exactly as in the body."""
    decoder, at = json.JSONDecoder(), 0
    while (found := body.find(_DATA, at)) >= 0:
        begin = found + len(_DATA)
        _, at = decoder.raw_decode(body, begin)
        yield body[begin:at]
