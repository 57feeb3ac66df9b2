"""Finds the two records of a transfer between own accounts.

A pair has one currency and opposite amounts, on different accounts, at most three days apart. A
record that names the other side's account is paired with records of that account only. Records
that name no account are paired only if neither fits any other record.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from finance_api.ledger.rows import batched
from finance_api.ledger.session import LedgerSession
from finance_api.query.model import Condition, condition_on
from finance_api.query.operators import Operator
from finance_api.resources import RECORDS
from finance_api.storage.interface import Proposed, ProposedPair
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS

MAX_DAYS = 3


@dataclass(frozen=True, slots=True)
class Side:
    """The parts of a record that pairing compares.

    names: the own accounts whose number equals the record's counterparty account. allows: the own
    accounts that can be the other side; None: all of them.
    """

    id: str
    account_id: str
    day: int
    names: frozenset[str]
    allows: frozenset[str] | None


#: (currency, absolute amount) -> outgoing and incoming sides, each sorted by day.
_Sides = defaultdict[tuple[str, int], tuple[list[Side], list[Side]]]


def find_pairs(
    session: LedgerSession, about: Sequence[Condition] = (), *, by_number_only: bool = False
) -> list[ProposedPair]:
    """Pair records, except void ones, parts, and records that are linked or were unlinked manually.

    about: conditions on the records to pair.
    """
    pairs: list[ProposedPair] = []
    for outs, ins in _read_sides(session, about).values():
        taken: set[str] = set()
        pairs += _named_pairs(outs, ins, taken)
        if not by_number_only:
            left = [[s for s in side if s.id not in taken] for side in (outs, ins)]
            pairs += _unique_pairs(*left)
    return sorted(pairs, key=lambda pair: (pair.day, pair.first_id))


def _read_sides(session: LedgerSession, about: Sequence[Condition]) -> _Sides:
    """Read the records whose opposite amount another account has; usually they are few."""
    data, user_id = session.storage.data, session.user.id
    unlinked = condition_on(RECORDS, "transferId", Operator.IS_NULL)
    fields = ["id", "accountId", "currencyCode"]
    amounts = data.list_amounts(user_id, fields, [unlinked, *about])
    accounts: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
    for _, account_id, currency, amount in amounts:
        accounts[currency, amount].add(account_id)
    wanted = [
        record_id
        for record_id, account_id, currency, amount in amounts
        if amount and accounts.get((currency, -amount), set()) - {account_id}
    ]
    numbers = _Numbers(session.accounts.rows.values())
    sides: _Sides = defaultdict(lambda: ([], []))
    for batch in batched(wanted):
        for row in session.get_rows(RECORDS, batch).values():
            if "transferId" in row["setByHand"] or row["splitId"] is not None:
                continue
            names, allows = numbers.meaning(row["counterpartyAccount"], row["accountId"])
            day, key = row["recordDate"] // DAY_SECONDS, (row["currencyCode"], abs(row["amount"]))
            side = Side(row["id"], row["accountId"], day, names, allows)
            sides[key][row["amount"] > 0].append(side)
    for pair in sides.values():
        for each in pair:
            each.sort(key=lambda side: (side.day, side.id))
    return sides


class _Numbers:
    """The numbers of the user's accounts."""

    def __init__(self, accounts: Iterable[Row]) -> None:
        self._numbers = {
            account["id"]: _plain(account["bankAccountNumber"] or "") for account in accounts
        }
        self.meaning = lru_cache(maxsize=4096)(self._meaning)

    def _meaning(
        self, number: str | None, own_id: str
    ) -> tuple[frozenset[str], frozenset[str] | None]:
        """Return `Side.names` and `Side.allows` for a counterparty number of an account's record.

        An IBAN ends with the bank's own account number, so the two do not contradict each other.
        """
        plain = _plain(number or "")
        if not plain:
            return frozenset(), None
        others = [(i, own) for i, own in self._numbers.items() if i != own_id]
        names = frozenset(i for i, own in others if own == plain)
        if names:
            return names, names
        allowed = (i for i, own in others if own.endswith(plain) or plain.endswith(own))
        return names, frozenset(allowed)


def _plain(number: str) -> str:
    return "".join(number.split()).casefold()


def _pair(out: Side, into: Side, *, by_number: bool) -> ProposedPair:
    return ProposedPair(Proposed.TRANSFER, out.id, into.id, out.day * DAY_SECONDS, by_number)


def _fit(one: Side, other: Side) -> bool:
    return (
        one.account_id != other.account_id
        and (one.allows is None or other.account_id in one.allows)
        and (other.allows is None or one.account_id in other.allows)
    )


def _named_pairs(outs: list[Side], ins: list[Side], taken: set[str]) -> Iterator[ProposedPair]:
    """Pair records if at least one names the other's account; first the pairs where both do.

    Between two accounts, records of one amount look alike. If there are equally many on both sides
    within a few days, they are paired in order. If the numbers differ, none of them is paired.
    """
    from_accounts, to_accounts = _by_account(outs), _by_account(ins)
    routes = {(s.account_id, other) for s in outs for other in s.names if other in to_accounts}
    routes |= {(other, s.account_id) for s in ins for other in s.names if other in from_accounts}
    for out_names, in_names in ((True, True), (True, False), (False, True)):
        for out_of, into in sorted(routes):
            some = _named(from_accounts[out_of], into, taken, must=out_names)
            others = _named(to_accounts[into], out_of, taken, must=in_names)
            for cluster in _clusters(some, others):
                yield from _paired(*cluster, taken)


def _by_account(sides: list[Side]) -> dict[str, list[Side]]:
    found: defaultdict[str, list[Side]] = defaultdict(list)
    for side in sides:
        found[side.account_id].append(side)
    return found


def _named(sides: list[Side], other: str, taken: set[str], *, must: bool) -> list[Side]:
    """Return the sides that name the other account or, if ``must`` is False, allow it."""
    return [
        side
        for side in sides
        if side.id not in taken
        and (other in side.names if must else side.allows is None or other in side.allows)
    ]


def _clusters(some: list[Side], others: list[Side]) -> Iterator[tuple[list[Side], list[Side]]]:
    """Split both lists by day: a gap of more than MAX_DAYS begins a new cluster."""
    tagged = sorted([(s.day, s.id, 0, s) for s in some] + [(s.day, s.id, 1, s) for s in others])
    cluster: tuple[list[Side], list[Side]] = [], []
    last = None
    for day, _, which, side in tagged:
        if last is not None and day - last > MAX_DAYS:
            yield cluster
            cluster = [], []
        cluster[which].append(side)
        last = day
    yield cluster


def _paired(some: list[Side], others: list[Side], taken: set[str]) -> Iterator[ProposedPair]:
    """Pair the sides in order, if both lists are equally long and no pair exceeds MAX_DAYS."""
    if len(some) != len(others):
        return
    pairs = list(zip(some, others, strict=True))
    if all(abs(out.day - into.day) <= MAX_DAYS for out, into in pairs):
        for out, into in pairs:
            taken |= {out.id, into.id}
            yield _pair(out, into, by_number=True)


#: Day -> (account, allowed accounts) -> the sides, which are alike.
_Groups = dict[int, dict[tuple[str, frozenset[str] | None], list[Side]]]


def _unique_pairs(outs: list[Side], ins: list[Side]) -> Iterator[ProposedPair]:
    """Pair sides that fit each other and no other side."""
    from_groups, to_groups = _grouped(outs), _grouped(ins)
    for out in outs:
        into = _only_other(out, to_groups)
        if into is not None and _only_other(into, from_groups) is out:
            yield _pair(out, into, by_number=False)


def _grouped(sides: list[Side]) -> _Groups:
    groups: _Groups = {}
    for side in sides:
        of_day = groups.setdefault(side.day, {})
        of_day.setdefault((side.account_id, side.allows), []).append(side)
    return groups


def _only_other(side: Side, groups: _Groups) -> Side | None:
    """Return the only side that fits this one; None if there are several, or none."""
    found = None
    for day in range(side.day - MAX_DAYS, side.day + MAX_DAYS + 1):
        for alike in groups.get(day, {}).values():
            if _fit(side, alike[0]):
                if found is not None or len(alike) > 1:
                    return None
                found = alike[0]
    return found
