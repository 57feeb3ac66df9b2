"""Entries and the stored records of their own source: the rules that say which is which."""

import hashlib
from collections.abc import Iterator
from sqlite3 import Row as Found

from finance_api.importers.interface import Answer
from finance_api.importers.questions import Questions
from finance_api.ledger.matching.batches import pair_batches
from finance_api.ledger.matching.known_account import KnownAccount
from finance_api.ledger.matching.learned import REUSED, STABLE
from finance_api.ledger.matching.stated import Content
from finance_api.ledger.matching.stored import (
    MOST_OF_AN_ID,
    OTHER_TEXTS,
    REACH_DAYS,
    SAME_TEXTS,
    UNKNOWN_TEXTS,
    StoredReader,
)
from finance_api.ledger.matching.wording import described, stored_described
from finance_api.ledger.matching.workspace import Outcome, Workspace
from finance_api.values.text import fold
from finance_api.values.time import DAY_SECONDS, date_text

SAME, NEW = "same", "new"
_BATCH = 1_000

#: What of undecided entries can be the record of which id.
_CANDIDATES = """
    entries AS e JOIN stored AS s
        ON s.account = e.account AND s.bank_id = e.bank_id AND s.mine AND NOT s.taken
    WHERE e.outcome IS NULL AND e.corrects IS NULL
"""
_NEAR = f"abs(e.day - s.day) <= {REACH_DAYS}"
_SAME_TEXT = (
    "(e.text = s.text OR coalesce(hash_of(e.payee) = s.payee, 0) "
    "OR coalesce(hash_of(e.note) = s.note, 0))"
)
_ALIKE = f"(e.amount = s.amount OR {_SAME_TEXT})"


class OwnSource:
    """Decides the entries that are stored records of their source.

    first_day: SAME, NEW or None, as `--first-day` says.
    """

    def __init__(
        self,
        workspace: Workspace,
        reader: StoredReader,
        accounts: list[KnownAccount],
        first_day: str | None,
        questions: Questions,
    ) -> None:
        self._workspace = workspace
        self._reader = reader
        self._accounts = {account.number: account for account in accounts}
        self._first_day = first_day
        self._questions = questions
        #: Sentences for the one who imports.
        self.remarks: list[str] = []

    def decide(self) -> None:
        workspace = self._workspace
        self._skip_repeated()
        self._set_corrections_aside()
        if workspace.has_stored:
            self._pair_same_ids()
        if self._reader.read_ids(
            "SELECT DISTINCT account, statement, bank_id FROM entries "
            "WHERE outcome IS NULL AND bank_id IS NOT NULL"
        ):
            self._pair_same_ids()
        if workspace.has_stored:
            self._count_same_ids()
            workspace.run("CREATE INDEX stored_bank_id ON stored (account, bank_id)")
            self._look_for_reused_ids()
            self._pair_same_contents()
            self._check_parts_of_days()
        self._pair_hashed_contents()
        if workspace.has_stored:
            pair_batches(workspace, "mine", Outcome.SAME, Outcome.SAME, of_one_source=True)
            self._correct()
        self._act_on_corrections()
        self._name_missing()

    def _name_missing(self) -> None:
        """Records that the file should have: the bank may have changed or taken them back."""
        for row in self._workspace.rows(
            "SELECT *, count(*) AS found, min(k) FROM stored WHERE mine AND inner AND NOT taken "
            "AND NOT void AND k NOT IN (SELECT k FROM entries WHERE k IS NOT NULL) GROUP BY account"
        ):
            self.remarks.append(
                f"{row['found']} stored of days that the file has whole, and not in it: such as "
                f"{stored_described(row)}"
            )

    # -- what the file says twice, and of other entries

    def _skip_repeated(self) -> None:
        workspace = self._workspace
        workspace.run(
            "CREATE TABLE repeated AS SELECT account, bank_id FROM entries "
            "WHERE bank_id IS NOT NULL GROUP BY account, bank_id HAVING count(*) > 1"
        )
        if workspace.one("SELECT 1 FROM repeated LIMIT 1") is not None:
            workspace.run("CREATE UNIQUE INDEX repeated_id ON repeated (account, bank_id)")
            self._skip("(account, bank_id) IN repeated")
        if workspace.one("SELECT 1 FROM entries WHERE section > 1 LIMIT 1") is not None:
            self._skip_repeated_without_id()

    def _skip_repeated_without_id(self) -> None:
        """What two sections say may be told twice, or may have happened twice."""
        without = "bank_id IS NULL AND section IS NOT NULL"
        twice = self._workspace.one(
            f"SELECT min(n) AS first, max(n) AS last FROM entries WHERE {without} "
            "GROUP BY account, content, time HAVING min(section) <> max(section) LIMIT 1"
        )
        if twice is None or self._first_day == NEW:
            return
        if self._first_day is None:
            first, last = self._workspace.rows("SELECT * FROM entries WHERE n IN (?, ?)", *twice)
            self._ask_for_first_day(
                f"{described(last)} stands in line {first['line']} as well, in another part of the "
                "file, and neither has an id: say whether these are one transaction with "
                "--first-day same, or two with --first-day new",
                last["line"],
            )
        self._skip(without)

    def _skip(self, entries: str) -> None:
        """Leaves out what another section, or where there are none another entry, says as well."""
        same = "account, bank_id, content, time, fingerprint, corrects"
        self._workspace.run(
            f"""
            UPDATE entries SET outcome = ? FROM (
                SELECT n, row_number() OVER (PARTITION BY {same}, nth ORDER BY n) AS again FROM (
                    SELECT *, CASE WHEN section IS NULL THEN 1 ELSE
                        row_number() OVER (PARTITION BY {same}, section ORDER BY n)
                    END AS nth FROM entries WHERE {entries}
                )
            ) AS equal WHERE equal.n = entries.n AND equal.again > 1
            """,
            Outcome.DUPLICATE,
        )

    def _set_corrections_aside(self) -> None:
        workspace = self._workspace
        for row in workspace.rows(
            "SELECT * FROM entries WHERE corrects = bank_id AND outcome IS NULL LIMIT 20"
        ):
            self.remarks.append(f"{described(row)} corrects itself: taken as it stands")
        workspace.run("UPDATE entries SET corrects = NULL WHERE corrects = bank_id")

    # -- rule 1

    def _pair_same_ids(self) -> None:
        """The same id and content."""
        workspace, outcome = self._workspace, Outcome.SAME
        entries = "bank_id IS NOT NULL"
        self._pair_equal("bank_id, ", outcome, entries, "mine AND bank_id IS NOT NULL")
        if workspace.one("SELECT 1 FROM stored WHERE other_id IS NOT NULL LIMIT 1") is not None:
            stored = "mine AND other_id IS NOT NULL"
            self._pair_equal("bank_id, ", outcome, entries, stored, bank_id="other_id")
        self._pair_earlier(by_id=True)
        stored = f"mine AND bank_id IS NOT NULL AND any_text <> {SAME_TEXTS}"
        workspace.pair("bank_id, day, amount", Outcome.CORRECTION, entries=entries, stored=stored)

    def _pair_equal(
        self, keys: str, outcome: Outcome, entries: str, stored: str, bank_id: str = "bank_id"
    ) -> None:
        """By equal content; a time that is not known is equal to any."""
        for key, with_time, other_time in (
            ("content, time", "1", "1"),
            ("content", "time = 0", "time <> 0"),
            ("content", "time <> 0", "time = 0"),
        ):
            if self._workspace.has_undecided:
                self._workspace.pair(
                    keys + key,
                    outcome,
                    entries=f"({entries}) AND {with_time}",
                    stored=f"({stored}) AND {other_time}",
                    bank_id=bank_id,
                )

    def _know_texts(self) -> None:
        """How texts of records from before this was noted were made: as the file's, if any agrees.

        An agreement of missing texts shows nothing.
        """
        workspace = self._workspace
        if workspace.one("SELECT 1 FROM stored WHERE any_text = ? LIMIT 1", UNKNOWN_TEXTS) is None:
            return
        workspace.run(
            "UPDATE stored SET any_text = CASE WHEN account IN ("
            "  SELECT s.account FROM stored AS s JOIN entries AS e ON e.k = s.k"
            "  WHERE s.any_text = ? AND e.text = s.text AND coalesce(e.payee, e.note) IS NOT NULL"
            ") THEN ? ELSE ? END WHERE any_text = ?",
            UNKNOWN_TEXTS,
            SAME_TEXTS,
            OTHER_TEXTS,
            UNKNOWN_TEXTS,
        )

    def _pair_earlier(self, *, by_id: bool) -> None:
        """What a record said before: the statement is older than the one that corrected it."""
        workspace = self._workspace
        if workspace.one("SELECT 1 FROM earlier LIMIT 1") is None:
            return
        ids = "e.bank_id = p.bank_id" if by_id else "p.bank_id IS NULL"
        found = workspace.rows(
            f"""
            SELECT e.*, p.k AS of, p.is_alias, s.as_of AS known_as_of FROM entries AS e
            JOIN earlier AS p ON p.account = e.account AND p.content = e.content AND {ids}
                AND (p.time = e.time OR 0 IN (p.time, e.time))
            JOIN stored AS s ON s.k = p.k
            WHERE e.outcome IS NULL AND (p.is_alias OR NOT s.taken) ORDER BY e.n, p.k
            """
        )
        seen: set[int] = set()
        taken: set[int] = set()
        for row in list(found):
            if row["n"] in seen or row["of"] in taken:
                continue
            seen.add(row["n"])
            taken.add(row["of"])
            is_later = not row["is_alias"] and self._order(row) > 0
            outcome = Outcome.CORRECTION if is_later else Outcome.SAME
            workspace.decide(row["n"], outcome, row["of"])

    def _order(self, row: Found) -> int:
        """Of the entry's statement and the one that its record is from: 1 if it is the later one.

        0: not known.
        """
        as_of, known = self._workspace.statements[row["statement"]].as_of, row["known_as_of"]
        if as_of is None or known is None:
            return 0
        return int(as_of > known) - int(as_of < known)

    # -- rule 2

    def _count_same_ids(self) -> None:
        for row in self._workspace.rows(
            "SELECT account, count(*) AS found FROM entries "
            "WHERE outcome = ? AND bank_id IS NOT NULL AND k IS NOT NULL GROUP BY account",
            Outcome.SAME,
        ):
            account = self._accounts[row["account"]]
            account.again = 0 if account.is_repeat else row["found"]

    def _look_for_reused_ids(self) -> None:
        for entry, k in self._signs_of_reuse():
            account = self._accounts[entry["account"]]
            if account.shows_reuse or account.ids is not None:
                continue
            if account.known_stable:
                known = stored_described(self._stored(k))
                self._ask_for_ids(
                    f"{described(entry)} goes against {known}: until now no id of {account.name} "
                    "was used again; say what ids are with --ids stable or --ids reused",
                    entry["line"],
                )
            account.shows_reuse = True
            if account.learned.ids is None:
                self.remarks.append(
                    f"the bank uses ids again, as {entry['bank_id']!r} in line {entry['line']}: "
                    f"entries of {account.name} are recognised by their content"
                )

    def _ask_for_ids(self, reason: str, line: int) -> None:
        if not self._questions.asks_for("--ids"):
            answers = (
                Answer(("--ids", ids), ("--ids",), f"the id of line {line} is of {meaning}")
                for ids, meaning in ((STABLE, "the same transaction"), (REUSED, "another one"))
            )
            self._questions.ask(reason, *answers, line=line)

    def _ask_for_first_day(self, reason: str, line: int) -> None:
        if not self._questions.asks_for("--first-day"):
            answers = (
                Answer(("--first-day", which), meaning=f"line {line} is {meaning}")
                for which, meaning in ((SAME, "the same transaction"), (NEW, "another one"))
            )
            self._questions.ask(reason, *answers, line=line)

    def _signs_of_reuse(self) -> Iterator[tuple[Found, int]]:
        """By account an entry, and the stored row that shows that the bank re-uses ids."""
        workspace = self._workspace
        yield from self._shared_ids()
        if workspace.one(f"SELECT 1 FROM {_CANDIDATES} LIMIT 1") is not None:
            # Its id belongs to records none of which it can be.
            yield from self._first_by_account(
                f"SELECT e.*, min(s.k) AS of FROM {_CANDIDATES} GROUP BY e.n "
                f"HAVING max({_NEAR} AND {_ALIKE}) = 0"
            )
            # It stands under another id already.
            workspace.run("CREATE INDEX stored_content ON stored (account, content)")
            yield from self._first_by_account(
                f"SELECT e.*, s.k AS of FROM {_CANDIDATES} AND EXISTS (SELECT 1 FROM stored AS o "
                "WHERE o.account = e.account AND o.content = e.content AND o.mine "
                "AND NOT o.taken AND o.bank_id <> e.bank_id)"
            )
            # The record of its id has another id now.
            workspace.run("CREATE INDEX entries_content ON entries (account, content)")
            yield from self._first_by_account(
                f"SELECT e.*, s.k AS of FROM {_CANDIDATES} AND EXISTS (SELECT 1 FROM entries AS o "
                "WHERE o.account = s.account AND o.content = s.content "
                "AND o.bank_id <> e.bank_id AND o.outcome IS NULL)"
            )
        # A record of a day that the file has whole is missing in it; an equal one has come. Where
        # records of other sources have ids of this one, far ones are not found by them: there any
        # day counts.
        mixed = ", ".join(str(n) for n, a in self._accounts.items() if a.learned.others)
        yield from self._first_by_account(
            f"""
            SELECT e.*, s.k AS of FROM entries AS e JOIN stored AS s ON s.account = e.account
                AND s.content = e.content AND s.mine AND NOT s.taken
                AND (s.inner OR s.account IN ({mixed}))
            WHERE e.outcome IS NULL AND e.corrects IS NULL
                AND e.bank_id IS NOT NULL AND s.bank_id IS NOT NULL
                AND (s.time = e.time OR 0 IN (s.time, e.time))
            """
        )

    def _shared_ids(self) -> Iterator[tuple[Found, int]]:
        """An id that many stored records have identifies none of them: it is taken away."""
        workspace = self._workspace
        workspace.run(
            "CREATE TABLE shared AS SELECT account, bank_id, count(*) AS times FROM stored "
            "WHERE mine AND NOT taken AND bank_id IS NOT NULL GROUP BY account, bank_id "
            f"HAVING count(*) > {MOST_OF_AN_ID}"
        )
        if workspace.one("SELECT 1 FROM shared LIMIT 1") is None:
            return
        yield from self._first_by_account(
            "SELECT e.*, (SELECT min(k) FROM stored AS s WHERE s.account = e.account AND "
            "s.bank_id = e.bank_id) AS of FROM entries AS e JOIN shared USING (account, bank_id) "
            "WHERE e.outcome IS NULL"
        )
        workspace.run(
            "UPDATE stored SET bank_id = NULL FROM shared WHERE NOT stored.taken "
            "AND stored.account = shared.account AND stored.bank_id = shared.bank_id"
        )

    def _first_by_account(self, sql: str) -> list[tuple[Found, int]]:
        found: dict[int, tuple[Found, int]] = {}
        for row in self._workspace.rows(sql):
            found.setdefault(row["account"], (row, row["of"]))
            if len(found) == len(self._accounts):
                break
        return list(found.values())

    # -- rules 2 and 4

    def _pair_same_contents(self) -> None:
        self._workspace.run("CREATE TABLE by_content (account INTEGER PRIMARY KEY)")
        self._workspace.database.executemany(
            "INSERT INTO by_content VALUES (?)",
            [(number,) for number, account in self._accounts.items() if account.reused],
        )
        outcome = Outcome.SAME_CONTENT
        plain = "corrects IS NULL"
        by_content = f"{plain} AND (bank_id IS NULL OR account IN (SELECT * FROM by_content))"
        self._pair_equal("", outcome, by_content, "mine")
        self._pair_equal("", outcome, plain, "mine AND bank_id IS NULL")
        self._pair_earlier(by_id=False)
        self._know_texts()
        other_texts = f"any_text = {OTHER_TEXTS}"
        for entries, stored in ((by_content, "mine"), (plain, "mine AND bank_id IS NULL")):
            self._workspace.pair(
                "day, amount",
                Outcome.CORRECTION,
                entries=entries,
                stored=f"{stored} AND {other_texts}",
            )

    def _check_parts_of_days(self) -> None:
        """Of a day that file and storage have parts of, equal rows may be two transactions."""
        for account in self._accounts.values():
            if not account.covers:
                continue
            for day in dict.fromkeys((account.first, account.last)):
                if not account.is_stored_whole(day) and not self._is_known_part(account, day):
                    self._check_part(account, day)

    def _is_known_part(self, account: KnownAccount, day: int) -> bool:
        """Whether an earlier file had the same part of the day."""
        digest = self.digest(account.number, day)
        return any(
            (day == cover.first and digest == cover.first_rows)
            or (day == cover.last and digest == cover.last_rows)
            for cover in account.learned.covers
        )

    def _check_part(self, account: KnownAccount, day: int) -> None:
        workspace, of_day = self._workspace, (account.number, day)
        missing = workspace.database.execute(
            "SELECT DISTINCT content FROM stored WHERE account = ? AND day = ? AND mine "
            "AND NOT taken LIMIT 2",
            of_day,
        ).fetchall()
        # By itself an older file that ends in the middle of a day is nothing unusual.
        if not missing or (
            day != account.first
            and workspace.one(
                "SELECT 1 FROM entries WHERE account = ? AND day = ? AND outcome IS NULL LIMIT 1",
                *of_day,
            )
            is None
        ):
            return
        rows = workspace.rows(
            "SELECT e.* FROM entries AS e JOIN stored AS s ON s.k = e.k WHERE e.account = ? "
            "AND e.day = ? AND e.outcome = ? AND 0 IN (e.time, s.time) ORDER BY e.n",
            *of_day,
            Outcome.SAME_CONTENT,
        )
        open_rows = [row for row in rows if missing != [(row["content"],)]]
        if not open_rows or self._first_day == SAME:
            return
        if self._first_day is None:
            self._ask_for_first_day(
                f"the file has a part of {date_text(day * DAY_SECONDS)} only, and "
                f"{described(open_rows[0])} may be the stored record that says the same, or "
                "another one: say which with --first-day same or --first-day new",
                open_rows[0]["line"],
            )
            return
        for row in open_rows:
            workspace.decide(row["n"], None, row["k"])
            workspace.decide(row["n"], Outcome.NEW, None)

    def digest(self, account: int, day: int) -> str:
        """Of what the file has of a day."""
        found = self._workspace.rows(
            "SELECT time, amount, payee, note FROM entries WHERE account = ? AND day = ? "
            "AND coalesce(outcome, 0) <> ? ORDER BY time, amount, payee, note",
            account,
            day,
            Outcome.DUPLICATE,
        )
        digest = hashlib.sha256()
        for time, amount, payee, note in found:
            digest.update(repr((time, amount, fold(payee or ""), fold(note or ""))).encode())
        return digest.hexdigest()[:16]

    def _pair_hashed_contents(self) -> None:
        """Those whose record was moved or changed, and still has the id of their content."""
        workspace = self._workspace
        if self._reader.is_empty:
            return
        workspace.run(
            """
            UPDATE entries SET number = equal.nth FROM (
                SELECT n, row_number() OVER (PARTITION BY account, content ORDER BY n) AS nth
                FROM entries WHERE bank_id IS NULL
            ) AS equal WHERE equal.n = entries.n AND equal.nth > 1
            """
        )
        last = 0
        while rows := list(
            workspace.rows(
                "SELECT n, account, statement, day, amount, payee, note, number FROM entries "
                "WHERE bank_id IS NULL AND outcome IS NULL AND n > ? ORDER BY n LIMIT ?",
                last,
                _BATCH,
            )
        ):
            last = rows[-1]["n"]
            wanted = {}
            for n, account, statement, day, *rest, number in rows:
                content = Content(day * DAY_SECONDS, *rest)
                scope = self._accounts[account].scopes[statement]
                wanted[scope.of_content(content, number)] = account, n, content
            for n, k in self._reader.read_contents(wanted).items():
                workspace.decide(n, Outcome.SAME, k)

    # -- rule 3

    def _correct(self) -> None:
        """One that the bank corrected: near its record, and partly the same."""
        workspace = self._workspace
        rows = workspace.rows(
            f"SELECT e.*, s.k AS of, s.day AS of_day, s.covered, s.inner, s.as_of AS known_as_of, "
            f"{_SAME_TEXT} AS same_text, {_NEAR} AND {_ALIKE} AS partly "
            f"FROM {_CANDIDATES} "
            "ORDER BY e.account, NOT (e.amount = s.amount AND e.text = s.text), "
            "abs(e.day - s.day), e.n, s.k"
        )
        seen: set[int] = set()
        taken: set[int] = set()
        # Only left-overs come here.
        for row in list(rows):
            account = self._accounts[row["account"]]
            if row["n"] in seen or row["of"] in taken:
                continue
            corrects = self._corrects(account, row)
            if corrects is None:
                self._ask_for_ids(
                    f"{described(row)} may correct {stored_described(self._stored(row['of']))}, "
                    "which had its id, or be another transaction: say which with --ids stable (it "
                    "corrects it) or --ids reused (it is another one)",
                    row["line"],
                )
                workspace.decide(row["n"], Outcome.NEW, None)
            if corrects is not False:
                seen.add(row["n"])
            if not corrects:
                continue
            taken.add(row["of"])
            outcome = Outcome.OLDER if self._order(row) < 0 else Outcome.CORRECTION
            workspace.decide(row["n"], outcome, row["of"])

    def _corrects(self, account: KnownAccount, row: Found) -> bool | None:
        """Whether the entry corrects the record of its id; None: only the user can say."""
        if account.ids is not None and account.known_stable:
            return True
        if not row["partly"]:
            return False
        if account.reused:
            # Without what the user says, only a day that the file has whole shows that the
            # record is gone.
            if row["inner"] or not row["covered"]:
                return bool(row["inner"])
            return False if account.said else None
        if row["covered"]:
            return True
        # Nobody said that ids are stable: rows that came again with theirs do not show that the
        # bank never counts from 1 again. What comes again and again has the same text, and the
        # record of the other day would be lost.
        is_known = account.stable and (account.said or not row["same_text"])
        return True if is_known else None

    def _stored(self, k: int) -> Found:
        row = self._workspace.one("SELECT * FROM stored WHERE k = ?", k)
        assert row is not None
        return row

    # -- corrections that say which entry they are about

    def _act_on_corrections(self) -> None:
        workspace = self._workspace
        rows = list(workspace.rows("SELECT * FROM entries WHERE corrects IS NOT NULL ORDER BY n"))
        for row in rows:
            if row["outcome"] not in (None, Outcome.NEW):
                continue
            self._reader.read_named(row["account"], row["statement"], row["corrects"])
            stored = workspace.one(
                "SELECT s.k FROM stored AS s WHERE s.account = ? AND s.mine AND ? IN "
                "(s.bank_id, s.other_id) ORDER BY abs(s.day - ?), s.k LIMIT 1",
                row["account"],
                row["corrects"],
                row["day"],
            ) or workspace.one(
                "SELECT k FROM earlier WHERE account = ? AND bank_id = ? LIMIT 1",
                row["account"],
                row["corrects"],
            )
            in_file = workspace.one(
                "SELECT n FROM entries WHERE account = ? AND bank_id = ? AND n <> ? LIMIT 1",
                row["account"],
                row["corrects"],
                row["n"],
            )
            if stored is not None:
                outcome = Outcome.VOIDS if row["deletes"] else Outcome.CORRECTION
                workspace.decide(row["n"], outcome, stored["k"])
            elif in_file is not None:
                workspace.run(
                    "UPDATE entries SET outcome = ?, k = ? WHERE n = ?",
                    Outcome.WAITING,
                    in_file["n"],
                    row["n"],
                )
            else:
                self.remarks.append(
                    f"{described(row)} corrects {row['corrects']!r}, which is not stored: taken "
                    "as it stands"
                )
