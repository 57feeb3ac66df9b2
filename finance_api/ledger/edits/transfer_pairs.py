"""Finding the two records of a transfer between own accounts.

A pair has one currency and equal, opposite amounts, on different accounts, at most three days
apart. Where a record names the other side's account, it is with that account only; of the other
records only those are a pair that can be nobody else's.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from finance_api.ledger.edits.record_changes import BATCH, pages_of
from finance_api.ledger.session import LedgerSession
from finance_api.query.model import Condition, Operator, condition_on
from finance_api.query.records import dated
from finance_api.resources import RECORDS
from finance_api.resources.records import VOID
from finance_api.storage.interface import TransferProposal
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS

MAX_DAYS = 3


@dataclass(frozen=True, slots=True)
class Side:
    """What is looked at of a record.

    names: the own accounts whose number it has as the other side's. allows: the own accounts that
    can be the other side; None: all of them.
    """

    id: str
    account_id: str
    day: int
    names: frozenset[str]
    allows: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Pair:
    """Ids of the record that money goes out by, and of the one by which it comes in.

    day: of the first. by_number: whether one of them names the other's account.
    """

    out_id: str
    in_id: str
    day: int
    by_number: bool

    @property
    def proposal(self) -> TransferProposal:
        return TransferProposal(self.out_id, self.in_id, self.day * DAY_SECONDS, self.by_number)


#: Currency and size of the amount.
_Key = tuple[str, int]
#: By them: what goes out, and what comes in, each in the order of days.
_Sides = defaultdict[_Key, tuple[list[Side], list[Side]]]

#: Pairs of one day depend on no record that is further away than this, unless a chain of equal
#: amounts leads there.
_NEAR = 7 * DAY_SECONDS
#: So long are the parts that are looked at together, so that their records fit in memory.
_PART = 31 * DAY_SECONDS


def find_pairs(session: LedgerSession, *, by_number_only: bool = False) -> list[Pair]:
    """The pairs among the records that are neither void, nor linked, nor unlinked by a hand."""
    return _pairs_of(_sides(session, by_number_only), by_number_only=by_number_only)


def propose_transfers(session: LedgerSession, days: Iterable[int]) -> None:
    """Keeps the pairs of the days and of those near them, in place of others.

    days: counted from 1970-01-01. What lies further from a part than `_NEAR` counts as if it were
    not there.
    """
    dates = {day * DAY_SECONDS for day in days}
    parts = {near // _PART for date in dates for near in (date - _NEAR, date, date + _NEAR)}
    for part in sorted(parts):
        at, until = part * _PART, (part + 1) * _PART
        about = [dated(at - _NEAR, until + _NEAR)]
        pairs = _pairs_of(_sides_between(session, about))
        found = [pair.proposal for pair in pairs if at <= pair.day * DAY_SECONDS < until]
        session.storage.transfers.replace(session.user.id, at, until, found)


def _pairs_of(sides: "_Sides", *, by_number_only: bool = False) -> list[Pair]:
    pairs: list[Pair] = []
    for outs, ins in sides.values():
        taken: set[str] = set()
        pairs += _named_pairs(outs, ins, taken)
        if not by_number_only:
            left = [[s for s in side if s.id not in taken] for side in (outs, ins)]
            pairs += _unique_pairs(*left)
    return sorted(pairs, key=lambda pair: pair.out_id)


def _sides(session: LedgerSession, by_number_only: bool) -> "_Sides":
    numbers = _Numbers(session.accounts.rows.values())
    wanted = _sizes(session, numbers) if by_number_only else _two_way_sizes(session)
    found: _Sides = defaultdict(lambda: ([], []))
    for row in _free_records(session):
        if (row["currencyCode"], abs(row["amount"])) in wanted:
            _add(found, numbers, row)
    return _in_order(found)


def _sides_between(session: LedgerSession, about: list[Condition]) -> "_Sides":
    """Of all sizes that go both ways: they are few, and all but these are read from an index."""
    data, user_id = session.storage.data, session.user.id
    unlinked = condition_on(RECORDS, "transferId", Operator.IS_NULL)
    amounts = data.list_amounts(user_id, ["id", "currencyCode"], [unlinked, *about])
    ways: defaultdict[_Key, set[bool]] = defaultdict(set)
    for _, currency, amount in amounts:
        ways[currency, abs(amount)].add(amount > 0)
    wanted = [i for i, currency, size in amounts if size and len(ways[currency, abs(size)]) > 1]
    numbers = _Numbers(session.accounts.rows.values())
    found: _Sides = defaultdict(lambda: ([], []))
    for begin in range(0, len(wanted), BATCH):
        rows = data.get_rows(user_id, RECORDS, wanted[begin : begin + BATCH])
        for row in rows.values():
            if not is_held(row):
                _add(found, numbers, row)
    return _in_order(found)


def _add(found: "_Sides", numbers: "_Numbers", row: Row) -> None:
    names, allows = numbers.meaning(row["counterpartyAccount"], row["accountId"])
    side = Side(row["id"], row["accountId"], row["recordDate"] // DAY_SECONDS, names, allows)
    key = row["currencyCode"], abs(row["amount"])
    found[key][row["amount"] > 0].append(side)


def _in_order(found: "_Sides") -> "_Sides":
    for pair in found.values():
        for sides in pair:
            sides.sort(key=lambda side: (side.day, side.id))
    return found


def _free_records(session: LedgerSession, *conditions: Condition) -> Iterator[Row]:
    unlinked = condition_on(RECORDS, "transferId", Operator.IS_NULL)
    for page in pages_of(session, unlinked, *conditions):
        for row in page:
            if row["recordState"] != VOID and row["amount"] and not is_held(row):
                yield row


def is_held(row: Row) -> bool:
    """Whether a hand said what transfer it is of, or that it is none."""
    return "transferId" in row["setByHand"]


def _two_way_sizes(session: LedgerSession) -> set[_Key]:
    """Most amounts go one way only: their records need not be held."""
    unlinked = condition_on(RECORDS, "transferId", Operator.IS_NULL)
    names = ["currencyCode", "amount"]
    amounts = session.storage.data.sum_by(session.user.id, names, [unlinked]).keys()
    return {
        (currency, amount)
        for currency, amount in amounts
        if amount > 0 and (currency, -amount) in amounts
    }


def _sizes(session: LedgerSession, numbers: "_Numbers") -> set[_Key]:
    """Of the records that name an own account."""
    naming = condition_on(RECORDS, "counterpartyAccount", Operator.NOT_NULL)
    return {
        (row["currencyCode"], abs(row["amount"]))
        for row in _free_records(session, naming)
        if numbers.meaning(row["counterpartyAccount"], row["accountId"])[0]
    }


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
        """`Side.names` and `Side.allows` of a record of the account with this other side.

        An IBAN ends with the number that a bank writes elsewhere: one is not against the other.
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


def _fit(one: Side, other: Side) -> bool:
    return (
        one.account_id != other.account_id
        and (one.allows is None or other.account_id in one.allows)
        and (other.allows is None or one.account_id in other.allows)
    )


def _named_pairs(outs: list[Side], ins: list[Side], taken: set[str]) -> Iterator[Pair]:
    """Pairs of which one names the other's account; first those where both do.

    Between two accounts records of one amount are alike: of as many on both sides within a few
    days, each is with the next. Where one side has more, nobody knows which one is left over.
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
    """Those that name the other account, or (not must) can be with it."""
    return [
        side
        for side in sides
        if side.id not in taken
        and (other in side.names if must else side.allows is None or other in side.allows)
    ]


def _clusters(some: list[Side], others: list[Side]) -> Iterator[tuple[list[Side], list[Side]]]:
    """Parts of both, in the order of days, with more than so many days between them."""
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


def _paired(some: list[Side], others: list[Side], taken: set[str]) -> Iterator[Pair]:
    """Each with the next, if there are as many of both and all are near."""
    if len(some) != len(others):
        return
    pairs = list(zip(some, others, strict=True))
    if all(abs(out.day - into.day) <= MAX_DAYS for out, into in pairs):
        for out, into in pairs:
            taken |= {out.id, into.id}
            yield Pair(out.id, into.id, out.day, True)


#: Sides that are alike, by day.
_Groups = dict[int, dict[tuple[str, frozenset[str] | None], list[Side]]]


def _unique_pairs(outs: list[Side], ins: list[Side]) -> Iterator[Pair]:
    """Pairs of which neither could be with another one."""
    from_groups, to_groups = _grouped(outs), _grouped(ins)
    for out in outs:
        into = _only_other(out, to_groups)
        if into is not None and _only_other(into, from_groups) is out:
            yield Pair(out.id, into.id, out.day, False)


def _grouped(sides: list[Side]) -> _Groups:
    groups: _Groups = {}
    for side in sides:
        of_day = groups.setdefault(side.day, {})
        of_day.setdefault((side.account_id, side.allows), []).append(side)
    return groups


def _only_other(side: Side, groups: _Groups) -> Side | None:
    """The one that can be with it; None if there are several, or none."""
    found = None
    for day in range(side.day - MAX_DAYS, side.day + MAX_DAYS + 1):
        for alike in groups.get(day, {}).values():
            if _fit(side, alike[0]):
                if found is not None or len(alike) > 1:
                    return None
                found = alike[0]
    return found
