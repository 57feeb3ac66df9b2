"""One unit of work on a database connection."""

from sqlalchemy import Connection

from finance_api.storage.interface import Storage
from finance_api.storage.sql.jwts import Jwts
from finance_api.storage.sql.reading import DataReading
from finance_api.storage.sql.sessions import Sessions
from finance_api.storage.sql.tokens import Tokens
from finance_api.storage.sql.usage import Usage
from finance_api.storage.sql.users import Users
from finance_api.storage.sql.writing import DataWriting


class SqlStorage(Users, Tokens, Jwts, Sessions, Usage, DataReading, DataWriting, Storage):
    """The parts of the contract, on one connection in one transaction."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
