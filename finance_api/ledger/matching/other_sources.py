"""Entries and the stored records of other sources: one transaction that two formats tell."""

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from sqlite3 import Row as Found

from finance_api.importers.interface import Answer
from finance_api.importers.questions import Questions
from finance_api.ledger.matching.batches import UNDECIDED, pair_batches
from finance_api.ledger.matching.known_account import KnownAccount
from finance_api.ledger.matching.learned import Cover
from finance_api.ledger.matching.wording import described, stored_described
from finance_api.ledger.matching.workspace import Outcome, Workspace

#: How far apart the same transaction may be in two formats; so far that it is asked for.
_REACH_DAYS, _DOUBTFUL_DAYS = 1, 5

#: Of other sources, on days where this file would have them.
_OTHER = "NOT mine AND covered AND NOT void"


class OtherSources:
    """Matches the entries that are no record of their own source.

    match_days: how far apart matches may be, None: as usual, and left-overs are asked about.
    """

    def __init__(
        self,
        workspace: Workspace,
        accounts: list[KnownAccount],
        match_days: int | None,
        questions: Questions,
    ) -> None:
        self._workspace = workspace
        self._accounts = accounts
        self._match_days = match_days
        self._questions = questions

    def match(self) -> None:
        workspace = self._workspace
        if workspace.one(f"SELECT 1 FROM stored WHERE {_OTHER} AND NOT taken LIMIT 1") is None:
            return
        workspace.run("CREATE INDEX stored_amount ON stored (account, amount, day) WHERE NOT mine")
        pair_batches(workspace, _OTHER, Outcome.MATCHED, Outcome.MATCHED_PARTS, of_one_source=False)
        for keys in ("day, amount, text", "day, amount"):
            workspace.pair(keys, Outcome.MATCHED, entries=UNDECIDED, stored=_OTHER)
        most = _REACH_DAYS if self._match_days is None else self._match_days
        for reach in sorted({min(_REACH_DAYS, most), most} - {0}):
            workspace.run("DELETE FROM pairs")
            workspace.database.executemany(
                "INSERT INTO pairs VALUES (?, ?)", self._near(reach, UNDECIDED, _OTHER)
            )
            workspace.take_pairs(Outcome.MATCHED)
        if self._match_days is None:
            self._ask_about_doubtful()

    # -- near days

    def _near(self, reach: int, entries: str, stored: str) -> Iterator[tuple[int, int]]:
        """Pairs of equal amounts at most so many days apart: as many as there can be."""
        columns = "account, amount, day"
        mine = self._workspace.database.execute(
            f"SELECT {columns}, n FROM entries WHERE {entries} ORDER BY {columns}, n"
        )
        others = self._workspace.database.execute(
            f"SELECT {columns}, k FROM stored WHERE NOT taken AND {stored} ORDER BY {columns}, k"
        )
        other_groups = groupby(others, itemgetter(0, 1))
        key, group = next(other_groups, (None, iter(())))
        for wanted, found in groupby(mine, itemgetter(0, 1)):
            while key is not None and key < wanted:
                key, group = next(other_groups, (None, iter(())))
            if key is None:
                return
            if key != wanted:
                continue
            other = next(group, None)
            for _, _, day, n in found:
                while other is not None and other[2] < day - reach:
                    other = next(group, None)
                if other is None:
                    break
                if other[2] <= day + reach:
                    yield n, other[3]
                    other = next(group, None)

    def _ask_about_doubtful(self) -> None:
        """Left-overs that may be the same, on days that both files should have them."""
        first: tuple[str, Found, Found] | None = None
        count = farthest = 0
        for account in self._accounts:
            for source, covers in account.learned.others.items():
                days = _days_of(covers)
                entries = f"{UNDECIDED} AND account = {account.number} AND ({days})"
                stored = f"{_OTHER} AND account = {account.number} AND source = '{source}'"
                for n, k in self._near(_DOUBTFUL_DAYS, entries, stored):
                    entry = self._workspace.one("SELECT * FROM entries WHERE n = ?", n)
                    other = self._workspace.one("SELECT * FROM stored WHERE k = ?", k)
                    assert entry is not None
                    assert other is not None
                    first = first or (source, entry, other)
                    count += 1
                    farthest = max(farthest, abs(entry["day"] - other["day"]))
        if first is None:
            return
        source, entry, other = first
        line = entry["line"]
        more = f" (and {count - 1} more such pairs)" if count > 1 else ""
        self._questions.ask(
            f"{described(entry)} may be {stored_described(other)}, which a file of the format "
            f"{source} told{more}: if it is the same, say with --match-days N how many days they "
            f"may be apart ({farthest} here); if it is another transaction, with --match-days "
            f"{_REACH_DAYS}, or --no-match where the files have no transaction in common",
            Answer(("--match-days", str(farthest)), meaning=f"line {line} is the stored record"),
            Answer(("--match-days", str(_REACH_DAYS)), meaning=f"line {line} is another one"),
            line=line,
        )


def _days_of(covers: list[Cover]) -> str:
    """The condition on a day that one of the statements covers."""
    return " OR ".join(f"day BETWEEN {c.first} AND {c.last}" for c in covers) or "0"
