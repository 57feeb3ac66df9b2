"""An installation: the command and its database."""

from sqlalchemy import create_engine, text

from finance_api.storage.interface import Token, reading
from finance_api.storage.sql.backend import SqlBackend
from support.command import Command
from support.service import native_line

ANNA = "anna@example.org"
BERT = "bert@example.org"


class Installation:
    """The command and its database."""

    def __init__(self, directory, url):
        self.url = url
        self.command = Command(directory, {"sqlalchemy.url": url})
        self.directory = directory
        self.done, self.refused = self.command.done, self.command.refused

    def load(self, email, *rows):
        data = "".join(map(native_line, rows))
        self.done("import", email, self.command.file("rows.ndjson", data))

    def dump(self, email=ANNA):
        return self.done("dump", email)

    def read(self, work):
        backend = SqlBackend(self.url)
        with reading(backend) as storage:
            found = work(storage)
        backend.close()
        return found

    def state(self, email=ANNA):
        return self.read(lambda storage: storage.users.get(email).data)

    def revoked_tokens(self, email=ANNA):
        """Return the names of the user's revoked tokens."""

        def work(storage):
            tokens = storage.users.list_owned(Token, storage.users.get(email).id)
            return {token.name for token in tokens if token.revoked_at is not None}

        return self.read(work)

    def run_sql(self, statement):
        """Run a query. Return its rows, if it returns any."""
        engine = create_engine(self.url)
        with engine.begin() as connection:
            result = connection.execute(text(statement))
            rows = result.all() if result.returns_rows else []
        engine.dispose()
        return rows
