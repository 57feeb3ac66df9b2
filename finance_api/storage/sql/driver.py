"""StatementCache that go to the driver itself.

SQLAlchemy builds them and writes their text, once for each shape; what it does at each execution
beyond that costs more than most of these statements do.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from functools import lru_cache
from typing import Any, NoReturn

from sqlalchemy import Connection, Dialect
from sqlalchemy.sql import Executable

from finance_api.storage.sql.engine import raise_unavailable

#: Shapes of statements whose text is kept. Clients choose them, within what the grammar allows.
_KEPT_STATEMENTS = 1_000

ResultRow = tuple[Any, ...]

#: The execution option of a statement whose best plan depends on its values.
PLANNED_ANEW = "finance_api_planned_anew"


class CompiledStatement:
    """The text of a statement, and how its values are handed over."""

    def __init__(self, statement: Executable, dialect: Dialect) -> None:
        compiled = statement.compile(dialect=dialect)  # type: ignore[attr-defined]
        self.text = str(compiled)
        #: Whether the database may go by one plan for all values.
        self.is_prepared = not statement.get_execution_options().get(PLANNED_ANEW, False)
        self._fixed = {k: v for k, v in compiled.params.items() if v is not None}
        self._positions: list[str] | None = compiled.positiontup

    def parameters(self, values: Mapping[str, Any]) -> Any:
        """values: by the names of the statement's parameters; others are left out."""
        given = {**self._fixed, **values} if self._fixed else values
        return given if self._positions is None else [given[name] for name in self._positions]


class Driver(ABC):
    """Runs statements on one connection, in whatever transaction it is in.

    Every method raises StorageUnavailable where the database cannot answer now.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._raw: Any = connection.connection.driver_connection
        self._failures = connection.dialect.loaded_dbapi.Error

    def run(self, statement: CompiledStatement, values: Mapping[str, Any]) -> list[ResultRow]:
        """The rows."""
        try:
            return self._rows(statement, statement.parameters(values))
        except self._failures as error:
            self._fail(error)

    def lines(
        self, statement: CompiledStatement, values: Mapping[str, Any]
    ) -> tuple[ResultRow, bytes] | None:
        """What `parts.with_state` selects: the state, and a body on each line; None without state.

        As JSON rows hold no line ends. None ends after the last one.
        """
        try:
            return self._lines(statement, statement.parameters(values))
        except self._failures as error:
            self._fail(error)

    def execute(self, text: str) -> None:
        """Runs a statement without values or rows."""
        try:
            self._execute(text)
        except self._failures as error:
            self._fail(error)

    @abstractmethod
    def _rows(self, statement: CompiledStatement, parameters: Any) -> list[ResultRow]: ...

    @abstractmethod
    def _lines(
        self, statement: CompiledStatement, parameters: Any
    ) -> tuple[ResultRow, bytes] | None: ...

    @abstractmethod
    def _execute(self, text: str) -> None: ...

    def _fail(self, error: Any) -> NoReturn:
        connection = self._connection
        is_disconnect = connection.dialect.is_disconnect(error, self._raw, None)
        if is_disconnect:
            connection.invalidate(error)
        raise_unavailable(error, connection.dialect, is_disconnect=is_disconnect)
        raise error


class StatementCache:
    """The statements of one database, each built when it is first asked for."""

    def __init__(self, dialect: Dialect) -> None:
        @lru_cache(maxsize=_KEPT_STATEMENTS)
        def built(
            build: Callable[..., Executable], shape: tuple[Hashable, ...]
        ) -> CompiledStatement:
            return CompiledStatement(build(dialect.name, *shape), dialect)

        self._built = built

    def get(self, build: Callable[..., Executable], *shape: Hashable) -> CompiledStatement:
        """The statement that ``build(name of the database, *shape)`` makes."""
        return self._built(build, shape)
