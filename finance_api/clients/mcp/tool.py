"""A tool: its purpose, arguments, API requests, answer and declaration."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from mcp.types import Tool as Declaration
from mcp.types import ToolAnnotations

from finance_api.clients.mcp.schemas import Schema, undescribed, whole


class Paging(Enum):
    """How the API divides the rows that a tool reads into pages."""

    #: Pages have a limit and an offset.
    OFFSET = "offset"
    #: The API returns all rows at once, and the tool divides them into pages.
    WHOLE = "whole"
    #: Like `WHOLE`, for any shape: lists become ``rows``, other members ``others``.
    ANY = "any"
    #: Pages have a limit and a cursor.
    CURSOR = "cursor"


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One tool.

    paths: below /v1/api/, separated by spaces; they can have arguments in braces, and parameters.
    rows: schemas of the elements of each list, by the list's name, in the order in which they are
    shown. One path answers with all of them, several paths with one each.
    repeats: schemas of other members of the response that the answer repeats, by name.
    takes: the arguments, named like the API's parameters; required: the required arguments.
    always: parameters that every request has, unless an argument overrides them.
    most: maximum number of rows in a response of the API.
    hides: members of the rows that answers leave out.
    sums: columns to add up by currency, if all rows are in one response.
    describes_all: whether this tool's schemas describe the parts that all tools share.
    """

    name: str
    purpose: str
    paths: str
    rows: Mapping[str, Schema]
    takes: Mapping[str, Schema] = field(default_factory=dict)
    repeats: Mapping[str, Schema] = field(default_factory=dict)
    paging: Paging = Paging.OFFSET
    required: tuple[str, ...] = ()
    always: Mapping[str, str] = field(default_factory=dict)
    most: int = 100
    hides: frozenset[str] = frozenset()
    sums: tuple[str, ...] = ()
    describes_all: bool = False

    @property
    def reads(self) -> Mapping[str, tuple[str, ...]]:
        """Return the lists in the response of each path."""
        paths, lists = self.paths.split(), tuple(self.rows)
        if len(paths) == 1:
            return {self.paths: lists}
        return {path: (name,) for path, name in zip(paths, lists, strict=True)}

    @property
    def declaration(self) -> Declaration:
        return Declaration(
            name=self.name,
            title=self.name.replace("_", " ").capitalize(),
            description=self.purpose,
            input_schema={
                "type": "object",
                "properties": {**self.takes, **self._paging_properties()},
                "required": list(self.required),
                "additionalProperties": False,
            },
            output_schema=self._output_schema(),
            annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
        )

    def _paging_properties(self) -> dict[str, Schema]:
        note, default = "Fewer rows are returned if they are long.", min(self.most, 100)
        paging = {"limit": whole(note, 1, self.most, default=default)}
        if self.paging is not Paging.CURSOR:
            note = "nextOffset of the previous response."
            paging["offset"] = whole(note, 0, 2_147_483_647, default=0)
        return paging if self.describes_all else undescribed(paging)

    def _output_schema(self) -> Schema:
        lists = {name: {"type": "array", "items": schema} for name, schema in self.rows.items()}
        common = _OF_EVERY_ANSWER if self.describes_all else {}
        return {
            "type": "object",
            "properties": {**common, **self.repeats, **lists},
            "required": list(lists),
        }


def _member(types: str | list[str], description: str) -> Schema:
    return {"type": types, "description": description}


#: The members of every answer.
_OF_EVERY_ANSWER: dict[str, Schema] = {
    "shown": _member("integer", "Number of rows in this response."),
    "total": _member("object", "Number of rows of each list on all pages; null: not counted."),
    "sums": _member(["array", "null"], "Sums over all pages by currency; null: not computed."),
    "nextOffset": _member(["integer", "null"], "Offset of the next page; null: no more pages."),
    "shortened": _member("boolean", "Whether texts or lists were cut, marked with '…'."),
    "hints": _member("array", "Unknown names and ids in the arguments."),
    "revision": _member(["integer", "null"], "If it differs between pages, start over."),
    "today": _member(["string", "null"], "Today, in the user's time zone."),
    "baseCurrency": _member(["string", "null"], "The user's currency, if one is set."),
    "quota": _member(["object", "null"], "Requests that this token has left."),
}
