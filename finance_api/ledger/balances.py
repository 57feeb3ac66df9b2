"""Derives the balances of accounts.

An account's balance is the sum of its records and of its initial balance, which follows from the
balances that banks state, and from what files brought: what a person adds, changes or deletes does
not move it. There is one exception. If files alone do not explain how the bank's balance changed
between two stated balances, what a person did between them counts if it explains more of it.

Every import keeps the balances that its files stated among the facts of
its entry in the history: ``{"accountId": id, "opening": [day, units], "closing": [day, units],
"asOf": seconds, "openingBeside": {number: units}, "closingBeside": {number: units}}``; any of them
may be missing. ``cardBalance`` is `Statement.card_balance`. ``adds`` is true if the import created
records on such a day.

A file may begin and end in the middle of a day. ``openingBeside`` and ``closingBeside`` are the
sums of what other files brought on such a day and the file lacks, by the number of the import that
created the records. ``restated`` has the ids of the file's records that an undone import had
created. Undone entries do not count. ``{"accountId": id, "forgets": true}``
discards all earlier balances.

``"initial": [day, units, number]`` is a balance before the records of that day. A bank may state
the same money as a record of that day, or of the day before or after; the file itself has
``number`` records like it.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from math import inf
from typing import Any, NamedTuple

from finance_api.importers.clauses import Day, Says, Topic, Units, clause
from finance_api.importers.formats import AccountKey, account_key_of
from finance_api.importers.interface import (
    OWED,
    OWNED,
    UNKNOWN,
    ChangeRefused,
    Choice,
    ImportRefused,
)
from finance_api.ledger.differences import Difference, Facts, list_differences
from finance_api.ledger.session import LedgerSession, UserRows
from finance_api.ledger.splits import deleted_among
from finance_api.query.model import NOT_VOID, Span, any_of, condition_on, dated
from finance_api.query.operators import Operator
from finance_api.resources import RECORDS, SPLITS
from finance_api.resources.currencies import decimals_of
from finance_api.storage.interface import RecordSum
from finance_api.values import Row
from finance_api.values.number import MAX_UNITS
from finance_api.values.text import amount_text, day_text, message
from finance_api.values.time import DAY_SECONDS, MAX_SECONDS, MIN_SECONDS

#: For up to this many imports, try their records of a day both before and after the file's records.
_MOST_PARTS = 8

#: By account, see `list_differences`.
_Differences = Mapping[str, Sequence[Difference]]
#: Only this format has balances of cards whose sign can mean both.
_OFX = "ofx"


class StatedBalance(NamedTuple):
    """A balance that a file states. Balances are sorted by these fields, in this order.

    day: for a closing balance, its day. The balance covers earlier records, and the file's records
    of that day. For an opening balance, the file's first day. The balance covers earlier records,
    and records of that day that the file lacks.
    as_of: sorts the balances of one day by age. number: the number of the history entry.
    beside: the sums in ``openingBeside`` or ``closingBeside``; None for a balance at the start
    of the day, which covers earlier records only. of_one_day: whether the file covers part of a
    single day, so that records that the file lacks may come before or after it.
    """

    day: int
    as_of: float
    number: int
    is_closing: bool
    amount: int
    beside: Mapping[str, int] | None
    of_one_day: bool


def settle_bank_balances(
    session: LedgerSession, account_ids: Iterable[str], facts: Sequence[Facts] = ()
) -> list[str]:
    """Derive each account's initial balance from the newest balance stated for the account.

    facts: the facts of this import; earlier facts are in the history. Call this when the accounts'
    records are stored. Returns sentences about periods whose records do not explain how the balance
    changed, and about initial balances that contradict the bank. Raises ChangeRefused if an initial
    balance is out of range; ImportRefused if a card's balance may be owed or owned.
    """
    wanted = dict.fromkeys(i for i in account_ids if i in session.accounts.rows)
    statements = _Statements(session, wanted, session.number, facts)
    for account_id in wanted:
        statements.find_meaning(account_id)
    remarks: list[str] = []
    for fact in facts:
        account = session.accounts.rows[fact["accountId"]]
        if fact.get("initial") and statements.is_a_record(account["id"], *fact["initial"]):
            text = amount_text(fact["initial"][1], decimals_of(account["currencyCode"]))
            remark = f"{account['name']}: the opening balance {text} is not added: it is a record"
            remarks.append(message(remark))
    for account_id, compared in statements.compare(wanted).items():
        session.accounts.put(_settled(session.accounts.rows[account_id], compared, remarks))
    return remarks


def is_of_several(account: Row) -> bool:
    """Return whether statements of several bank accounts belong to the account.

    If so, none of them states the account's balance.
    """
    keys: tuple[str, ...] = account["statementKeys"]
    sources = Counter(key.partition(":")[0] for key in keys)
    # Keys that the user chose do not count: they are names that the account once had.
    return any(
        count > 1
        for source, count in sources.items()
        if account_key_of(source) is not AccountKey.USER
    )


class Gap(NamedTuple):
    """Two stated balances whose difference is not the sum of the records between them.

    first, last: the days of the balances. If a person made the gap, ``first`` is the day of the
    first record that the person added, changed or deleted; there may be no earlier balance then.
    amount: the difference of the balances minus the sum of the records.
    """

    first: int
    last: int
    amount: int


class Compared(NamedTuple):
    """An account's stated balances, compared with its records.

    implied: each balance with the initial balance that follows from what files brought. by_hand:
    for each balance, the sum of what a person changed in the records that the balance covers.
    days: the days of these changes, in order.
    """

    implied: Sequence[tuple[StatedBalance, int]]
    by_hand: Sequence[int]
    days: Sequence[int]

    def gaps(self) -> list[Gap]:
        """Return the periods whose records do not explain the bank's balances, oldest first."""
        found = []
        for number, (balance, _) in enumerate(self.implied):
            of_files, by_hand = self._changes(number)
            if of_files != by_hand:
                first = self.implied[number - 1][0].day if number else self.days[0]
                if not of_files:
                    first = next(day for day in self.days if day >= first)
                found.append(Gap(first, balance.day, of_files - by_hand))
        return found

    @property
    def deciding(self) -> int | None:
        """The number of the balance that decides the initial balance; None without balances."""
        closings = [n for n, (balance, _) in enumerate(self.implied) if balance.is_closing]
        # If no statement has a closing balance, an opening balance tells as much.
        return max(closings or range(len(self.implied)), default=None)

    def difference(self, number: int) -> int:
        """Return by how much the records differ from a balance, if it decides the initial balance.

        What a person did between two balances makes no difference if it explains more of the gap
        between them than files do.
        """
        changes = map(self._changes, range(number + 1))
        return sum(by_hand for gap, by_hand in changes if abs(gap - by_hand) >= abs(gap))

    def initial(self, number: int) -> int:
        """Return the initial balance, if the balance with this number decides it."""
        return self.implied[number][1] - self.by_hand[number] + self.difference(number)

    def _changes(self, number: int) -> tuple[int, int]:
        """Return the gap before a balance in what files brought, and what a person did in it."""
        if number == 0:
            return 0, self.by_hand[0]
        gap = self.implied[number][1] - self.implied[number - 1][1]
        return gap, self.by_hand[number] - self.by_hand[number - 1]


def compare_balances(owned: UserRows, account_id: str) -> Compared:
    """Compare an account's stated balances with its records."""
    return _Statements(owned, [account_id]).compare([account_id])[account_id]


def settled_account(owned: UserRows, account_id: str) -> Row:
    """Return the account as `settle_bank_balances` leaves it. Raises ChangeRefused."""
    return _settled(owned.accounts.rows[account_id], compare_balances(owned, account_id), [])


class _Statements:
    """What statements state about the balances of accounts, and the records beside it.

    number, facts: those of a change that is not in the history yet.
    """

    def __init__(
        self,
        owned: UserRows,
        account_ids: Iterable[str],
        number: int = 0,
        facts: Sequence[Facts] = (),
    ) -> None:
        self._owned = owned
        self._new = facts
        #: The facts of each account, oldest first, each with the number of its entry.
        self._facts: defaultdict[str, list[tuple[int, Facts]]] = defaultdict(list)
        for entry_number, of_entry in (*((e.number, e.facts) for e in owned.live), (number, facts)):
            for fact in of_entry:
                self._facts[fact["accountId"]].append((entry_number, fact))
        stated = [i for i in account_ids if any(_states(fact) for _, fact in self._facts[i])]
        self._differences = list_differences(owned, stated, facts)

    def find_meaning(self, account_id: str) -> None:
        """Find out what a card's balances mean, if no file and no user has said it so far.

        Two balances that fit the records between them in one meaning only prove it. If none do, a
        negative balance is owed, as in the standard, unless the records may have paid more than was
        owed. Raises ImportRefused with a question for such a balance, and for a positive one.
        """
        of_account = [fact for fact in self._new if fact["accountId"] == account_id]
        own = [fact for fact in of_account if fact.get("cardBalance") == UNKNOWN]
        stated = [fact["closing"] for fact in own if fact["closing"]]
        if not stated or self._meaning(account_id) is not None:
            return
        implied, found = {}, {}
        for meaning in (OWED, OWNED):
            own[0]["cardBalance"] = meaning
            balances = self._balances(account_id)
            sums = _DailySums(self._owned, {account_id: balances}, self._differences)
            implied[meaning] = sums.initials(account_id, balances)
            found[meaning] = {
                (earlier.day, later.day)
                for (earlier, before), (later, after) in pairwise(implied[meaning])
                if before != after
            }
        only_owed, only_owned = found[OWNED] - found[OWED], found[OWED] - found[OWNED]
        is_proven = bool(only_owed) != bool(only_owned)
        own[0]["cardBalance"] = (OWED if only_owed else OWNED) if is_proven else UNKNOWN
        stated = [closing for closing in stated if closing[1] > 0] or [
            [balance.day, -balance.amount]
            for balance, initial in implied[OWED]
            if balance.amount > 0 >= initial
            # Who pays all that was owed does not pay more.
            and not self._count(account_id, 2 * balance.amount - initial)
        ]
        if not is_proven and stated:
            raise _which_meaning(self._owned.accounts.rows[account_id], *stated[0])

    def _meaning(self, account_id: str) -> str | None:
        """Return what a positive balance of a card means, if that is known."""
        meanings = (fact.get("cardBalance") for _, fact in reversed(self._facts[account_id]))
        return next((meaning for meaning in meanings if meaning in (OWED, OWNED)), None)

    def compare(self, account_ids: Iterable[str]) -> dict[str, Compared]:
        """Compare the accounts' stated balances with their records."""
        rows = self._owned.accounts.rows
        stated = {i: [] if is_of_several(rows[i]) else self._balances(i) for i in account_ids}
        known = {account_id: balances for account_id, balances in stated.items() if balances}
        sums = _DailySums(self._owned, known, self._differences)
        return {i: sums.compare(i, balances) for i, balances in stated.items()}

    def _balances(self, account_id: str) -> list[StatedBalance]:
        """Return the account's stated balances in their order."""
        is_owed = self._meaning(account_id) == OWED
        balances: list[StatedBalance] = []
        seen: set[tuple[int, bool, int]] = set()
        initial: dict[tuple[int, int], int] = {}
        for number, fact in self._facts[account_id]:
            if fact.get("forgets"):
                balances, seen, initial = [], set(), {}
            if fact.get("initial"):
                day, units, own = fact["initial"]
                initial[day, units] = max(own, initial.get((day, units), 0))
            for balance in _balances_in(fact, number):
                if is_owed and fact.get("source") == _OFX:
                    balance = balance._replace(amount=-balance.amount)
                # Skip a balance that was stated before: if a file is imported again, its balance
                # does not cover records that were stored since. A file with other records of that
                # day is another statement.
                what = balance.day, balance.is_closing, balance.amount
                if what not in seen or fact.get("adds"):
                    seen.add(what)
                    balances.append(balance)
        balances += (
            StatedBalance(day, 0, 0, True, units, None, False)
            for (day, units), own in initial.items()
            if not self.is_a_record(account_id, day, units, own)
        )
        return sorted(balances)

    def is_a_record(self, account_id: str, day: int, units: int, own: int) -> bool:
        """Return whether another file brought the same money as a record.

        day, units, own: see the facts ``initial``.
        """
        first, end = day - DAY_SECONDS, day + 2 * DAY_SECONDS
        return self._count(account_id, units, first, end) > own

    def _count(
        self, account_id: str, units: int, first: int = MIN_SECONDS, end: int = MAX_SECONDS
    ) -> int:
        """Return how many records of this amount, dated before ``end``, files brought."""
        owned = self._owned
        amount = condition_on(RECORDS, "amount", Operator.EQ, Span(units, units + 1))
        conditions = [any_of("accountId", [account_id]), amount, dated(first, end)]
        unsplit = condition_on(RECORDS, "splitId", Operator.IS_NULL)
        found = owned.storage.data.sum_by(owned.user.id, ["accountId"], [*conditions, unsplit])
        number = sum(each.number for each in found.values())
        wholes = {row["id"] for page in owned.pages(SPLITS, *conditions, NOT_VOID) for row in page}
        number += len(wholes - deleted_among(owned, wholes))
        for each in self._differences.get(account_id, ()):
            if first <= each.day < end:
                number += (each.before == units) - (each.now == units)
        return number


def _states(fact: Facts) -> bool:
    return any(fact.get(name) for name in ("opening", "closing", "initial"))


def _which_meaning(account: Row, day: int, units: int) -> ImportRefused:
    """Return the question what a card's balance means."""
    amount = Units(units, decimals_of(account["currencyCode"]))
    # Most cards are in debt.
    meanings = (OWED, OWNED) if units > 0 else (OWNED, OWED)
    return ImportRefused(
        clause(Topic.CARD_BALANCE, amount=amount, account=account["name"], day=Day(day)),
        choices=tuple(
            Choice({"card_balance": meaning}, clause(says, amount=amount))
            for meaning, says in zip(meanings, (Says.OWED, Says.ON_CARD), strict=True)
        ),
    )


def _balances_in(fact: Facts, number: int) -> Iterator[StatedBalance]:
    of_one_day = "openingBeside" in fact and fact.get("first", -1) == fact.get("last")
    if fact.get("opening") is not None:
        day, amount = fact["opening"]
        day += DAY_SECONDS
        # Sort an opening balance last on its day, unless the file covers only this day.
        as_of = fact.get("asOf") or day if of_one_day else inf
        beside = fact.get("openingBeside")
        yield StatedBalance(day, as_of, number, False, amount, beside, of_one_day)
    if fact.get("closing") is not None:
        day, amount = fact["closing"]
        beside = fact.get("closingBeside", {})
        yield StatedBalance(day, fact.get("asOf") or day, number, True, amount, beside, of_one_day)


class _DailySums:
    """The sums of what files brought to some accounts, by day and import."""

    def __init__(
        self, owned: UserRows, stated: dict[str, list[StatedBalance]], differences: _Differences
    ) -> None:
        self._differences = differences
        sums: defaultdict[str, dict[tuple[int, int], int]] = defaultdict(dict)
        self._sums = sums
        if stated:
            last = max(balances[-1].day for balances in stated.values())
            found = owned.storage.data.sum_by(
                owned.user.id,
                ["accountId", "recordDate", "importId"],
                [any_of("accountId", stated), dated(MIN_SECONDS, last + DAY_SECONDS)],
            )
            for (account_id, time, number), total in found.items():
                key = (time - time % DAY_SECONDS, number or 0)
                sums[account_id][key] = sums[account_id].get(key, 0) + total.amount
            for account_id in stated:
                of_account = sums[account_id]
                for each in differences.get(account_id, ()):
                    for number, units in each.corrections:
                        key = (each.day, number)
                        of_account[key] = of_account.get(key, 0) + units
        self._keys = {account_id: sorted(by_key) for account_id, by_key in sums.items()}
        self._totals = {
            account_id: list(accumulate((by_key[k] for k in self._keys[account_id]), initial=0))
            for account_id, by_key in sums.items()
        }

    def initials(
        self, account_id: str, balances: Sequence[StatedBalance]
    ) -> list[tuple[StatedBalance, int]]:
        """Return each balance with the initial balance that follows from it.

        If several initial balances are possible, prefer one that another balance proves.
        """
        possible = [
            [balance.amount - covered for covered in self._covered(account_id, balance)]
            for balance in balances
        ]
        certain = {initials[0] for initials in possible if len(set(initials)) == 1}
        return [
            (balance, next((each for each in initials if each in certain), initials[0]))
            for balance, initials in zip(balances, possible, strict=True)
        ]

    def compare(self, account_id: str, balances: Sequence[StatedBalance]) -> Compared:
        differences = self._differences.get(account_id, [])
        by_hand = [
            sum(each.change for each in differences if _covers(balance, each))
            for balance in balances
        ]
        days = [each.day for each in differences if each.change]
        return Compared(self.initials(account_id, balances), by_hand, days)

    def _covered(self, account_id: str, balance: StatedBalance) -> list[int]:
        """Return possible sums of the records that the balance covers, the likeliest first."""
        keys, totals = self._keys.get(account_id, []), self._totals.get(account_id, [0])
        begin, end = (bisect_left(keys, (balance.day + days,)) for days in (0, DAY_SECONDS))
        before = totals[begin]
        if balance.beside is None:
            return [before]
        of_day = {n: self._sums[account_id][day, n] for day, n in keys[begin:end]}
        # The file lacks some records of earlier imports and all records of later ones.
        earlier = [units for n, units in balance.beside.items() if int(n) in of_day]
        later = [units for n, units in of_day.items() if n > balance.number]
        of_file = sum(of_day.values()) - sum(earlier) - sum(later)
        if balance.is_closing:
            before += of_file
        if not balance.of_one_day:
            return [before if balance.is_closing else before + sum(earlier) + sum(later)]
        possible = [0]
        for units in (*earlier, *later)[:_MOST_PARTS]:
            possible += [each + units for each in possible]
        return [before + sum(earlier), *(before + each for each in possible)]


def _covers(balance: StatedBalance, difference: Difference) -> bool:
    """Return whether the balance would have changed with the records of this difference.

    On its own day, a balance covers only what files brought: see `StatedBalance`.
    """
    if difference.day != balance.day or difference.is_new or balance.beside is None:
        return difference.day < balance.day
    number = difference.number
    is_in_file = number <= balance.number and str(number) not in balance.beside
    return is_in_file == balance.is_closing


def _settled(account: Row, compared: Compared, remarks: list[str]) -> Row:
    """Return the account with its derived balances."""
    name, decimals = account["name"], decimals_of(account["currencyCode"])
    gaps, implied = compared.gaps(), compared.implied
    unexplained, since = sum(abs(gap.amount) for gap in gaps), gaps[0].first if gaps else None
    remarks += (
        message(
            f"{name}: from {day_text(gap.first)} to {day_text(gap.last)} the bank's balance "
            f"changed by {amount_text(abs(gap.amount), decimals)} "
            f"{'more' if gap.amount > 0 else 'less'} than the records add up to"
        )
        for gap in gaps
    )
    own = account["ownInitialBalance"]
    own = account["initialBalance"] if own is None else own
    settled = {"initialBalance": own, "ownInitialBalance": None}
    newest, initial = None, own
    if compared.deciding is not None:
        newest, initial = implied[compared.deciding][0], compared.initial(compared.deciding)
    if newest is not None and "initialBalance" in account["setByHand"]:
        if initial != own:
            unexplained += abs(initial - own)
            since = min(day for day in (since, implied[0][0].day) if day is not None)
            remarks.append(
                message(
                    f"{name}: its initial balance was set to {amount_text(own, decimals)}; the "
                    f"bank's balance of {day_text(newest.day)} gives "
                    f"{amount_text(initial, decimals)}"
                )
            )
    elif newest is not None:
        settled = {"initialBalance": initial, "ownInitialBalance": own}
    is_stated = newest is not None and newest.is_closing and newest.beside is not None
    stated = newest if is_stated else None
    if max(abs(initial), unexplained) > MAX_UNITS:
        raise ChangeRefused(
            f"the initial balance of the account {name} would be {amount_text(initial)}, "
            "which is out of range"
        )
    return {
        **account,
        **settled,
        "bankBalance": stated and stated.amount,
        "bankBalanceDate": stated and stated.day,
        "unexplained": unexplained,
        "unexplainedSince": since,
    }


def settle_balances(session: LedgerSession) -> None:
    """Set the accounts' balances, record counts and last record dates.

    Call this when the records are stored. Raises ChangeRefused if a balance is out of range.
    """
    sums: Mapping[tuple[Any, ...], RecordSum] = {}
    # A dry run reports only balances.
    if session.touched and not session.is_dry_run:
        conditions = [any_of("accountId", session.touched)]
        data, user_id = session.storage.data, session.user.id
        sums = data.sum_by(user_id, ["accountId"], conditions, with_void=True)
    for account_id, account in list(session.accounts.rows.items()):
        stored, counted = session.accounts.stored(account_id), {}
        if not session.is_dry_run and (stored is None or account_id in session.touched):
            found = sums.get((account_id,))
            counted = {
                "recordCount": 0 if found is None else found.number,
                "lastRecordDate": found and found.last - found.last % DAY_SECONDS,
            }
        records = 0 if stored is None else stored["balance"] - stored["initialBalance"]
        records += session.touched.get(account_id, 0)
        balance = account["initialBalance"] + records
        if abs(balance) > MAX_UNITS:
            raise ChangeRefused(
                f"the balance of the account {account['name']} would be "
                f"{amount_text(balance)}, which is out of range"
            )
        session.accounts.put({**account, **counted, "balance": balance})
