"""The tree of a user's categories: what lies above and below each."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from finance_api.values import Row


class CategoryTree:
    """categories: by id, each with a name, a parentId and a group."""

    def __init__(self, categories: Iterable[Row]) -> None:
        self.rows: dict[str, Row] = {row["id"]: row for row in categories}
        self._children: defaultdict[str, list[str]] = defaultdict(list)
        for row in self.rows.values():
            if row["parentId"] is not None:
                self._children[row["parentId"]].append(row["id"])

    def from_top(self) -> Iterator[Row]:
        """Each category after the one above it. Those in a circle are left out."""
        waiting = [row for row in self.rows.values() if row["parentId"] not in self.rows]
        while waiting:
            row = waiting.pop()
            yield row
            waiting.extend(self.rows[child] for child in self._children.get(row["id"], ()))

    def upwards(self, category_id: str) -> Iterator[Row]:
        """The category and what is above it, up to the top. In a circle, each once."""
        seen: set[str] = set()
        next_id: str | None = category_id
        while next_id is not None and next_id in self.rows and next_id not in seen:
            seen.add(next_id)
            row = self.rows[next_id]
            yield row
            next_id = row["parentId"]

    def top_of(self, category_id: str) -> str:
        """The id of the one at the top."""
        top = category_id
        for row in self.upwards(category_id):
            top = row["id"]
        return top

    def group_of(self, category_id: str) -> str | None:
        """The group of the category, else of the nearest one above that has one."""
        groups = (row["group"] for row in self.upwards(category_id))
        return next((group for group in groups if group is not None), None)

    def with_descendants(self, category_ids: Iterable[str]) -> set[str]:
        """The categories and all below them."""
        found: set[str] = set()
        waiting = list(category_ids)
        while waiting:
            category_id = waiting.pop()
            if category_id not in found:
                found.add(category_id)
                waiting.extend(self._children[category_id])
        return found
