"""Asks the public API from inside: the answer to an address, as values.

There is no second request: the answer is read in the unit of work, place and time limit of the
caller, and counts for no quota. The caller asks for data of its own user, who may read everything
that has a permission of the public API; for no other permission there is an answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from finance_api.http.querystring import split_query
from finance_api.http.surfaces import EXPORTS, PUBLIC_SURFACE, SUFFIX
from finance_api.planning.answers import REVISION, Answer, OtherRevision, ParametersRefused, Reading
from finance_api.questions.addresses import AddressRefused
from finance_api.serialization.rows import Rows
from finance_api.storage.errors import NotFound, unknown_in_replica
from finance_api.values.ids import FORM

if TYPE_CHECKING:
    # Commands need no web framework.
    from pyramid.registry import Registry

#: The most rows of an answer without pages, unless its endpoint is an export.
MAX_ROWS = 10_000
_ID = re.compile(FORM)
_PUBLIC = "public:"


class Asked(NamedTuple):
    """What a request asks for: an endpoint of the API, and the valid parameters of its schema.

    values: a mapping with attributes, which the schema's ``read`` makes. arguments: further
    arguments of the endpoint's ``answer``, such as ``row_id``. path, query_string: the address,
    without the suffix of a format.
    """

    endpoint: Any
    values: Any
    arguments: Mapping[str, Any]
    path: str
    query_string: str

    @property
    def names_limit(self) -> bool:
        """Whether the address itself says how many rows it wants."""
        return "limit" in dict(split_query(self.query_string))

    def as_whole(self) -> Asked:
        """Ask for up to `MAX_ROWS` rows, unless the address has a limit."""
        if "limit" not in self.values or self.names_limit:
            return self
        return self._replace(values=self.values.with_limit(MAX_ROWS))

    @property
    def is_cheap(self) -> bool:
        """Whether the answer takes no longer for a user with many rows than for one with few."""
        return bool(self.values.is_cheap)

    def answer(self, reading: Reading) -> Any:
        """Read the answer. Raises ParametersRefused, OtherRevision, StorageUnavailable."""
        try:
            answer = self.endpoint.answer(reading, self.values, **self.arguments)
        except NotFound as error:
            raise unknown_in_replica() from error
        revision = self.values.get(REVISION)
        if revision is not None and revision != answer.state.revision:
            raise OtherRevision(
                f"The data has changed: it has revision {answer.state.revision}, not {revision}. "
                f"Start over with the first page, without {REVISION}."
            )
        return _shown_by_link(answer) if reading.is_for_link else answer


def _shown_by_link(answer: Any) -> Any:
    """Return what strangers see: in place of rows, what the address asks for instead, alone."""
    if not isinstance(answer, Answer) or answer.instead is None:
        return answer
    found = answer.members[answer.instead]
    others = {name: each for name, each in answer.members.items() if not isinstance(each, Rows)}
    return replace(
        answer,
        name=answer.instead,
        columns=found.columns,
        rows=found.rows,
        members=others,
        instead=None,
        next_offset=None,
        total=None,
    )


def ask(registry: Registry, reading: Reading, address: str) -> Any:
    """Return the answer to an address: path and query. See `find` and `Asked.answer`."""
    return find(registry, address).answer(reading)


def find(registry: Registry, address: str, *, is_saved: bool = False) -> Asked:
    """Find what an address asks for. is_saved: whether it is that of a saved question.

    Raises AddressRefused for an unknown path, ParametersRefused.
    """
    path, _, query_string = address.partition("?")
    ids = _ID.findall(path)
    pattern = _ID.sub(lambda _: f"{{id:{FORM}}}", path)
    endpoint = registry.endpoints.get(pattern + SUFFIX) or registry.endpoints.get(pattern)
    is_open = endpoint is not None and endpoint.permission.startswith(_PUBLIC)
    if not is_open or (is_saved and not endpoint.savable):
        raise AddressRefused(f"{path} is not one of {', '.join(question_paths(registry))}.")
    values = endpoint.schema.read(query_string)
    arguments = {"row_id": ids[0].lower()} if ids else {}
    return Asked(endpoint, values, arguments, path, query_string)


def find_page(registry: Registry, address: str) -> Asked:
    """Find what a saved question asks, in pages: for an export, its list. Raises as `find` does."""
    asked = find(registry, address, is_saved=True)
    if not address.startswith(EXPORTS):
        return asked
    return find(registry, PUBLIC_SURFACE + address.removeprefix(EXPORTS))


def question_paths(registry: Registry) -> Sequence[str]:
    """Return the paths that saved questions can ask."""
    return [endpoint.path for endpoint in registry.endpoints.values() if endpoint.savable]


def fault_of(registry: Registry, address: str) -> str | None:
    """Return why the API would refuse a stored address; None if it would accept it."""
    try:
        find(registry, address, is_saved=True)
    except AddressRefused as refused:
        return str(refused)
    except ParametersRefused as refused:
        name, message = refused.faults[0]
        return f"{name}: {message}"
    return None
