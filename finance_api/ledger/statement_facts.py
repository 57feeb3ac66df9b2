"""The facts of a file's statements that the history keeps; see `HistoryEntry`."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from finance_api.importers.interface import BankBalance, Statement
from finance_api.ledger.matching.accounts import STABLE, KnownAccount
from finance_api.ledger.matching.open_rows import OpenRows, day_digest
from finance_api.ledger.session import LedgerSession
from finance_api.query.model import any_of, dated
from finance_api.resources import RECORDS
from finance_api.resources.records import VOID
from finance_api.values.time import DAY_SECONDS

_BATCH = 1_000
#: An account's id, and the first second of a day.
_AccountDay = tuple[str, int]


class StatementFacts:
    """The facts of a file of which everything is decided, and nothing is stored.

    facts: complete after `note_beside`.
    """

    def __init__(self, session: LedgerSession, rows: OpenRows) -> None:
        self._session = session
        self._source = rows.file.source
        self._ends: list[tuple[dict[str, Any], str, int]] = []
        self.facts = [fact for account in rows.accounts for fact in self._facts(account, rows)]
        self._held = self._held_records(rows)

    def _facts(self, account: KnownAccount, rows: OpenRows) -> list[dict[str, Any]]:
        facts = []
        for number, statement in account.statements.items():
            fact: dict[str, Any] = {
                "accountId": account.id,
                "source": self._source,
                "key": statement.account.key,
                "number": statement.account.number,
                "asOf": statement.as_of,
                "opening": _day_and_units(statement.opening),
                "closing": _day_and_units(statement.closing),
                "texts": statement.texts,
                "options": statement.options,
            }
            self._ends += [(fact, name, day) for name, day in _end_days(statement)]
            cover = account.covers.get(number)
            if cover is not None:
                fact["first"], fact["last"] = cover.first * DAY_SECONDS, cover.last * DAY_SECONDS
                fact["firstRows"] = day_digest(rows, account, cover.first)
                fact["lastRows"] = day_digest(rows, account, cover.last)
            facts.append(fact)
        if account.again:
            facts[0]["again"] = account.again
        if account.ids is not None or account.shows_reuse:
            facts[0]["ids"] = account.ids or "reused"
        elif account.stable and account.learned.ids is None:
            facts[0]["ids"] = STABLE
        return facts

    def _held_records(self, rows: OpenRows) -> dict[_AccountDay, set[str]]:
        """The stored records of the days at the ends that are in the file."""
        held: dict[_AccountDay, set[str]] = {
            (fact["accountId"], day): set() for fact, _, day in self._ends
        }
        taken = ((c.account.id, c.day, c) for c in rows.candidates if c.is_taken)
        paired = ((e.account.id, e.day, e.candidate) for e in rows.entries if e.candidate)
        for account_id, day, candidate in chain(taken, paired) if held else ():
            if (account_id, day * DAY_SECONDS) in held:
                held[account_id, day * DAY_SECONDS].add(candidate.record)
        return held

    def note_beside(self) -> None:
        """Notes what records of the days at the ends sum to that are not in the file.

        By the imports that made them. The records are stored by now.
        """
        sums = self._sums()
        for fact, name, day in self._ends:
            key = fact["accountId"], day
            fact[name] = self._beside(day, dict(sums.get(key, {})), self._held[key])

    def _sums(self) -> dict[_AccountDay, dict[int, int]]:
        """Sum the records of the days at the ends, by the number of their import."""
        ids: defaultdict[int, set[str]] = defaultdict(set)
        for account_id, day in self._held:
            ids[day].add(account_id)
        sums: defaultdict[_AccountDay, dict[int, int]] = defaultdict(dict)
        data, user_id = self._session.storage.data, self._session.user.id
        for day, account_ids in ids.items():
            of_day = [any_of("accountId", account_ids), dated(day, day + DAY_SECONDS)]
            found = data.sum_by(user_id, ["accountId", "importId"], of_day)
            for (account_id, number), each in found.items():
                sums[account_id, day][number or 0] = each.amount
        return sums

    def _beside(self, day: int, found: dict[int, int], held: set[str]) -> dict[str, int]:
        data, user_id = self._session.storage.data, self._session.user.id
        found.pop(self._session.number, None)
        wanted = iter(held if found else ())
        while batch := list(islice(wanted, _BATCH)):
            for row in data.get_rows(user_id, RECORDS, batch).values():
                is_of_day = row["recordDate"] - row["recordDate"] % DAY_SECONDS == day
                number = row["importId"] or 0
                if is_of_day and row["recordState"] != VOID and number in found:
                    found[number] -= row["amount"]
        return {str(number): units for number, units in found.items() if units}


def _end_days(statement: Statement) -> Iterator[tuple[str, int]]:
    """The days of which the file may have a part, each with the name of its fact."""
    if statement.closing is not None:
        yield "closingBeside", statement.closing.date
    if statement.opening is not None and statement.first_day is None:
        yield "openingBeside", statement.opening.date + DAY_SECONDS


def _day_and_units(balance: BankBalance | None) -> list[int] | None:
    return None if balance is None else [balance.date, balance.amount]
