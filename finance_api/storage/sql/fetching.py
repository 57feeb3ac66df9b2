"""Running statements by their shapes, and knowing the state of the data that they are of."""

from typing import Any

from sqlalchemy import Connection

from finance_api.storage.errors import NotFound
from finance_api.storage.interface import DataState
from finance_api.storage.sql.driver import Driver, StatementCache
from finance_api.storage.sql.parts import (
    Build,
    BuildSelect,
    state_statement,
    with_state,
)


class Fetching:
    """What a unit of work reads data with.

    statements: of the database that data is read from.
    """

    statements: StatementCache

    @property
    def data(self) -> Connection:
        """The connection that data is read from."""
        raise NotImplementedError

    @property
    def data_driver(self) -> Driver:
        """The driver of `data`."""
        raise NotImplementedError

    def begin_snapshot(self) -> None:
        """From here on all data is read from one unchanging state."""
        raise NotImplementedError

    def get_data_state(self, user_id: int) -> DataState:
        self.begin_snapshot()
        found = self.fetch(state_statement, values={"user": user_id})
        if not found:
            raise NotFound("there is no such user")
        return DataState(*found[0])

    def fetch(self, build: Build, *shape: Any, values: dict[str, Any]) -> list[tuple[Any, ...]]:
        """The rows of the statement that ``build`` makes."""
        return self.data_driver.run(self.statements.get(build, *shape), values)

    def fetch_lines(
        self, build: BuildSelect, *shape: Any, values: dict[str, Any]
    ) -> tuple[DataState, bytes]:
        """What ``build`` selects, and the state that it is of. Raises NotFound without the user."""
        statement = self.statements.get(with_state, build, shape)
        found = self.data_driver.lines(statement, values)
        if found is None:
            raise NotFound("there is no such user")
        state, lines = found
        return DataState(*state), lines
