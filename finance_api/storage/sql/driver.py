"""Statements that go to the driver itself.

SQLAlchemy builds them and writes their text, once for each shape; what it does at each execution
beyond that costs more than most of these statements do.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Hashable, Mapping
from functools import lru_cache
from typing import Any, ClassVar

from sqlalchemy import Dialect
from sqlalchemy.sql import Executable

#: Shapes of statements whose text is cached. Clients choose them, within what the grammar allows.
_CACHED_STATEMENTS = 1_000

ResultRow = tuple[Any, ...]


class CompiledStatement:
    """The text of a statement, and the order of its values."""

    def __init__(self, statement: Executable, dialect: Dialect) -> None:
        # PostgreSQL has no means against writing that costs nothing and leaves the session alone.
        if statement.is_insert or statement.is_update or statement.is_delete:
            raise TypeError("a connection that reads cannot write")
        compiled = statement.compile(dialect=dialect)  # type: ignore[attr-defined]
        self.text = str(compiled)
        self._fixed = {k: v for k, v in compiled.params.items() if v is not None}
        self._positions: list[str] | None = compiled.positiontup

    def parameters(self, values: Mapping[str, Any]) -> Any:
        """values: by the names of the statement's parameters; others are left out."""
        given = {**self._fixed, **values} if self._fixed else values
        return given if self._positions is None else [given[name] for name in self._positions]


class Driver(ABC):
    """Runs statements on one connection of the database's driver, in its current transaction.

    There is one for each connection, in the ``info`` of its pool's record.
    connection: of the database's driver. failures: its errors, which every method may raise.
    At the end of a `time_limit` a statement is ended with TookTooLong. After it, as after every
    StorageUnavailable, the connection is not to be used again.
    """

    #: The key of a connection's driver in its ``info``.
    INFO: ClassVar = "finance_api_driver"

    failures: ClassVar[type[Exception]]
    connection: Any

    @abstractmethod
    def rows(self, statement: CompiledStatement, values: Mapping[str, Any]) -> list[ResultRow]: ...

    @abstractmethod
    def lines(
        self, statement: CompiledStatement, values: Mapping[str, Any]
    ) -> tuple[ResultRow, bytes] | None:
        """Runs a statement of `statements.with_state`: the state of the data, and the JSON rows.

        One row on each line, and no line end after the last. None without a state.
        """

    @abstractmethod
    def stream(
        self, statement: CompiledStatement, values: Mapping[str, Any], rows: int
    ) -> Generator[bytes, None, None]:
        """The texts that a statement selects, in a snapshot: one on each line, so many at a time.

        The statement ends with the iterator. There is one at a time, beside other statements.
        """

    @abstractmethod
    def begin_snapshot(self) -> None:
        """Begins a transaction that sees one unchanging state, on a connection for reading."""

    @abstractmethod
    def end_snapshot(self) -> None:
        """Ends that transaction."""


class StatementCache:
    """The statements of one database, each built when it is first used."""

    def __init__(self, dialect: Dialect) -> None:
        @lru_cache(maxsize=_CACHED_STATEMENTS)
        def built(
            build: Callable[..., Executable], shape: tuple[Hashable, ...]
        ) -> CompiledStatement:
            return CompiledStatement(build(dialect.name, *shape), dialect)

        self._built = built

    def get(self, build: Callable[..., Executable], *shape: Hashable) -> CompiledStatement:
        """The statement that ``build(name of the database, *shape)`` makes."""
        return self._built(build, shape)
