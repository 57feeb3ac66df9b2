"""Importing statements: what a bank wrote, account by account."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from finance_api.importers.interface import Answer, BankBalance, ImportRefused, Questions, Statement
from finance_api.ledger.balances import Balances, settle_bank_balances
from finance_api.ledger.edits.transfers import link_by_number
from finance_api.ledger.matching import match
from finance_api.ledger.matching.model import CandidateReader, FileEntries, Outcome
from finance_api.ledger.matching.new_accounts import ask_about_new_accounts
from finance_api.ledger.matching.open_rows import OpenRows, day_digest
from finance_api.ledger.matching.stated import (
    STABLE,
    Cover,
    KnownAccount,
    Scope,
    collect_facts,
    facts_by_account,
)
from finance_api.ledger.matching.stored import get_stated, is_whole
from finance_api.ledger.report import AccountTotal, ImportReport
from finance_api.ledger.session import LedgerSession
from finance_api.ledger.splits import deleted_among
from finance_api.ledger.statement_accounts import find_account, is_of_several
from finance_api.ledger.statement_records import StatementRecords
from finance_api.query.model import any_of, dated
from finance_api.resources.currencies import decimals_of
from finance_api.resources.records import VOID
from finance_api.values import Row
from finance_api.values.sentences import amount_text
from finance_api.values.text import TextError, clean_or_none, counted
from finance_api.values.time import DAY_SECONDS

_BATCH = 1_000
#: An account's id, and the first second of a day.
_AccountDay = tuple[str, int]


@dataclass(frozen=True, kw_only=True)
class StatementOptions:
    """The user's options for a statement file.

    account_name: the account, for a file of one account. new_account: the user says it is new.
    currency: the currency of a new account, if the file does not state one.
    ids: REUSED or STABLE, how the bank's ids behave. first_day: how to treat rows identical to
    stored records on a day the file covers only partly, "same" or "new".
    match: whether to match records of other sources; match_days: up to how many days apart.
    link_by_number: whether two records become a transfer if one names the other's account.
    """

    account_name: str | None = None
    new_account: bool = False
    currency: str | None = None
    ids: str | None = None
    first_day: str | None = None
    match: bool = True
    match_days: int | None = None
    link_by_number: bool = False


@dataclass(slots=True)
class _Sums:
    """An account's money in the file. first, last: the days of its entries since 1970-01-01."""

    money_in: int = 0
    money_out: int = 0
    first: int | None = None
    last: int | None = None

    def add(self, amount: int, day: int) -> None:
        if amount < 0:
            self.money_out += amount
        else:
            self.money_in += amount
        self.first = day if self.first is None or day < self.first else self.first
        self.last = day if self.last is None or day > self.last else self.last


class StatementImport:
    """Stores the statements of a file.

    details: the details known so far of this import's entry in the history; `run` adds to them.
    """

    def __init__(
        self,
        session: LedgerSession,
        report: ImportReport,
        file: FileEntries,
        options: StatementOptions,
        details: dict[str, Any],
    ) -> None:
        self._session = session
        self._report = report
        self._file = file
        self._options = options
        self._details = details

    def run(self) -> None:
        """Raises ImportRefused."""
        session, file, report = self._session, self._file, self._report
        accounts = self._find_accounts()
        rows = self._decide(accounts)
        sums = self._count()
        facts, reader, remarks = StatementFacts(session, rows), rows.reader, rows.remarks
        # `rows` keeps every entry in memory.
        del rows
        balances = Balances()
        records = StatementRecords(session, file, reader, balances, report)
        session.begin_storing()
        records.write()
        if self._options.link_by_number and (linked := link_by_number(session)):
            records.changed = True
            transfers = counted(linked, "transfer")
            report.remarks.append(f"linked {transfers} between own accounts")
        facts.note_beside()
        touched = dict.fromkeys((*(account.id for account in accounts), *balances.touched))
        report.remarks += remarks
        report.remarks += settle_bank_balances(session, touched, facts.facts)
        for statement in file.statements:
            report.skipped.update(statement.skipped)
            report.remarks += statement.remarks
        balances.settle(session)
        self._sum_up(accounts, sums)
        self._details |= {
            "profile": next((s.profile for s in file.statements if s.profile), None),
            "encoding": next((s.encoding for s in file.statements if s.encoding), None),
            "counts": report.counts,
            "accounts": facts.facts,
        }
        report.changed = session.close(records_changed=records.changed, details=self._details)

    def _decide(self, accounts: list[KnownAccount]) -> OpenRows:
        """Decide every entry. Raises ImportRefused with the questions only the user can answer."""
        session, file, options = self._session, self._file, self._options
        questions = Questions()
        reader = CandidateReader(session, file.source, accounts)
        if not options.new_account and not reader.is_empty:
            ask_about_new_accounts(session, file, accounts, questions)
        reader.read_days()
        rows = OpenRows(file, reader, accounts, options.first_day, options.match_days, questions)
        match(rows, others=options.match)
        questions.put()
        return rows

    # -- accounts

    def _find_accounts(self) -> list[KnownAccount]:
        """Find or create the user's accounts that the statements belong to."""
        session, file, options = self._session, self._file, self._options
        name = None if options.account_name is None else _clean_name(options.account_name)
        facts = facts_by_account(session.history)
        keys = {statement.account.key for statement in file.statements}
        if name is not None and len(keys) > 1:
            raise ImportRefused(
                f"the file has {len(keys)} accounts, but --account names one",
                answers=(Answer(instead_of=("--account",)),),
                how=": leave out --account",
            )
        found: dict[str, KnownAccount] = {}
        of_statements: list[KnownAccount] = []
        for number, statement in enumerate(file.statements):
            account_id = find_account(
                session,
                file.source,
                statement.account,
                name=name,
                currency=options.currency,
                example=(*statement.possible_currencies, "EUR")[0],
            )
            _check_mark(statement, session.accounts.rows[account_id])
            account = found.get(account_id)
            if account is None:
                known = collect_facts(facts[account_id], file.source)
                account = found[account_id] = KnownAccount(
                    id=account_id,
                    name=session.accounts.rows[account_id]["name"],
                    is_new=session.accounts.stored(account_id) is None,
                    is_repeat=self._details.get("file", {}).get("sha256") in known.files,
                    earlier=known,
                    ids=options.ids,
                )
            account.statements[number] = statement
            of_statements.append(account)
            if statement.initial is not None:
                self._begin_with(account_id, statement.initial)
        for entry in file.open:
            entry.account = of_statements[entry.statement]
        for account in found.values():
            row = session.accounts.rows[account.id]
            account.is_of_several = is_of_several(row)
            for number, statement in account.statements.items():
                account.scopes[number] = Scope(file.source, statement.account, row)
        self._find_covers(found.values())
        return list(found.values())

    def _begin_with(self, account_id: str, initial: int) -> None:
        """Set an account's initial balance to the file's, unless the user has set it."""
        accounts = self._session.accounts
        row = accounts.rows[account_id]
        if "initialBalance" not in row["setByHand"]:
            name = "initialBalance" if row["ownInitialBalance"] is None else "ownInitialBalance"
            accounts.put({**row, name: initial})
        elif row["initialBalance"] != initial:
            own, of_file = (
                amount_text(units, decimals_of(row["currencyCode"]))
                for units in (row["initialBalance"], initial)
            )
            self._report.remarks.append(
                f"{row['name']}: its initial balance was set to {own}; the file says {of_file}"
            )

    def _find_covers(self, accounts: Iterable[KnownAccount]) -> None:
        """Note the days that each statement covers: the stated ones, or its entries' days."""
        days: dict[int, tuple[int, int]] = {}
        for entry in self._file.open:
            earliest, latest = days.get(entry.statement, (entry.day, entry.day))
            days[entry.statement] = min(earliest, entry.day), max(latest, entry.day)
        for account in accounts:
            for number, statement in account.statements.items():
                first, last = days.get(number, (None, None))
                if statement.first_day is not None:
                    first = statement.first_day // DAY_SECONDS
                if statement.last_day is not None:
                    last = statement.last_day // DAY_SECONDS
                if first is not None and last is not None and first <= last:
                    account.covers[number] = Cover(first, last)

    # -- the report and the facts for the history

    def _count(self) -> dict[KnownAccount, _Sums]:
        """Count unchanged and repeated entries; return each account's sums."""
        sums: defaultdict[KnownAccount, _Sums] = defaultdict(_Sums)
        counts: Counter[Outcome | None] = Counter()
        for entry in self._file.open:
            counts[entry.outcome] += 1
            if entry.outcome not in (Outcome.DUPLICATE, Outcome.VOIDS):
                for amount in entry.rare.parts or (entry.amount,):
                    sums[entry.account].add(amount, entry.day)
        self._report.unchanged += counts[Outcome.SAME] + counts[Outcome.SAME_CONTENT]
        if counts[Outcome.DUPLICATE]:
            self._report.skipped["duplicate"] += counts[Outcome.DUPLICATE]
        return sums

    def _sum_up(self, accounts: Iterable[KnownAccount], sums: Mapping[KnownAccount, _Sums]) -> None:
        for account in accounts:
            row = self._session.accounts.rows[account.id]
            of_file = sums.get(account, _Sums())
            self._report.totals.append(
                AccountTotal(
                    row["name"],
                    row["currencyCode"],
                    of_file.money_in,
                    of_file.money_out,
                    row["balance"],
                    None if of_file.first is None else of_file.first * DAY_SECONDS,
                    None if of_file.last is None else of_file.last * DAY_SECONDS,
                )
            )


def _check_mark(statement: Statement, account: Row) -> None:
    """Raise ImportRefused if the statement's currency symbol cannot mean the account's currency."""
    possible, currency = statement.possible_currencies, account["currencyCode"]
    if possible and currency not in possible:
        raise ImportRefused(
            f"the amounts are in {statement.currency_mark}, but the account {account['name']} is "
            f"in {currency}",
            how=": give another account with --account, or the currency with --currency",
            needs=("account", "currency"),
        )


def _clean_name(text: str) -> str:
    try:
        name = clean_or_none(text.strip())
    except TextError as error:
        raise ImportRefused(f"--account {error}") from None
    if name is None:
        raise ImportRefused("--account is empty")
    return name


class StatementFacts:
    """The facts of a file whose entries are all decided, but not stored yet.

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
        elif account.stable and account.earlier.ids is None:
            facts[0]["ids"] = STABLE
        return facts

    def _held_records(self, rows: OpenRows) -> dict[_AccountDay, set[str]]:
        """Find the stored records on statements' end days that the file has as well."""
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
        """Note the sums of the end days' records that the file lacks, by the import they came in.

        Call it when the records of this import are stored.
        """
        sums = self._sums()
        for fact, name, day in self._ends:
            key = fact["accountId"], day
            fact[name] = self._beside(day, dict(sums.get(key, {})), self._held[key])

    def _sums(self) -> dict[_AccountDay, dict[int, int]]:
        """Sum each account's records of its statement's last day, by the import that made them."""
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
        found.pop(self._session.number, None)
        wanted = iter(held if found else ())
        while batch := list(islice(wanted, _BATCH)):
            rows = get_stated(self._session, batch)
            deleted = deleted_among(self._session, [i for i in rows if is_whole(rows[i])])
            for row in (row for row_id, row in rows.items() if row_id not in deleted):
                is_of_day = row["recordDate"] - row["recordDate"] % DAY_SECONDS == day
                number = row["importId"] or 0
                if is_of_day and row["recordState"] != VOID and number in found:
                    found[number] -= row["amount"]
        return {str(number): units for number, units in found.items() if units}


def _end_days(statement: Statement) -> Iterator[tuple[str, int]]:
    """Yield the days the file may cover only partly, each with the name of its fact."""
    if statement.closing is not None:
        yield "closingBeside", statement.closing.date
    if statement.opening is not None and statement.first_day is None:
        yield "openingBeside", statement.opening.date + DAY_SECONDS


def _day_and_units(balance: BankBalance | None) -> list[int] | None:
    return None if balance is None else [balance.date, balance.amount]
