"""Importing statements: what a bank wrote, account by account."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from finance_api.importers.interface import Answer, BankBalance, ImportRefused, Statement
from finance_api.importers.questions import Questions
from finance_api.ledger.balances import Balances
from finance_api.ledger.bank_balances import settle_bank_balances
from finance_api.ledger.edits.transfers import link_by_number
from finance_api.ledger.matching.known_account import KnownAccount
from finance_api.ledger.matching.learned import (
    STABLE,
    Cover,
    FactsBefore,
    facts_by_account,
    learned,
)
from finance_api.ledger.matching.new_accounts import ask_about_new_accounts
from finance_api.ledger.matching.other_sources import OtherSources
from finance_api.ledger.matching.own_source import OwnSource
from finance_api.ledger.matching.source_ids import Scope
from finance_api.ledger.matching.stored import StoredReader
from finance_api.ledger.matching.workspace import SUM, Outcome, Workspace, total
from finance_api.ledger.report import AccountTotal, ImportReport
from finance_api.ledger.session import LedgerSession
from finance_api.ledger.statement_accounts import find_account
from finance_api.ledger.statement_records import StatementRecords
from finance_api.query.records import any_of, dated
from finance_api.resources import RECORDS
from finance_api.resources.records import VOID
from finance_api.values import Row
from finance_api.values.number import decimal_text
from finance_api.values.text import TextError, clean_or_none, counted
from finance_api.values.time import DAY_SECONDS

_BATCH = 1_000

#: Of an account's records of a day, by the number of the import that made them.
_DaySums = defaultdict[tuple[str, int], dict[int, int]]


@dataclass(frozen=True, kw_only=True)
class StatementOptions:
    """What the user says about a statement file.

    account_name: the account, for a file of one account; new_account: whether it is new for sure.
    currency: of a new account, where the file does not say.
    ids: REUSED or STABLE, how the bank's ids behave. first_day: what rows of a day of which the
    file has a part are that are equal to stored ones, "same" or "new".
    match: whether records of other sources are matched; match_days: how far apart.
    link_by_number: whether records of which one names the account of the other become a transfer.
    """

    account_name: str | None = None
    new_account: bool = False
    currency: str | None = None
    ids: str | None = None
    first_day: str | None = None
    match: bool = True
    match_days: int | None = None
    link_by_number: bool = False


class StatementImport:
    """Stores the statements of a workspace.

    details: of the history's entry, as far as they are known.
    """

    def __init__(
        self,
        session: LedgerSession,
        report: ImportReport,
        workspace: Workspace,
        options: StatementOptions,
        details: dict[str, Any],
    ) -> None:
        self._session = session
        self._report = report
        self._workspace = workspace
        self._options = options
        self._details = details

    def run(self) -> None:
        """Raises ImportRefused."""
        session, workspace, options, report = (
            self._session,
            self._workspace,
            self._options,
            self._report,
        )
        accounts = self._find_accounts()
        workspace.run("CREATE INDEX entries_day ON entries (account, day)")
        questions = Questions()
        reader = StoredReader(session, workspace, accounts)
        if not options.new_account and not reader.is_empty:
            ask_about_new_accounts(session, workspace, accounts, questions)
        reader.read_days()
        own = OwnSource(workspace, reader, accounts, options.first_day, questions)
        own.decide()
        if options.match:
            OtherSources(workspace, accounts, options.match_days, questions).match()
        questions.put()
        workspace.run("UPDATE entries SET outcome = ? WHERE outcome IS NULL", Outcome.NEW)
        self._count()
        session.begin_storing()
        balances = Balances()
        records = StatementRecords(session, workspace, reader, accounts, balances, report)
        records.write()
        if options.link_by_number and (linked := link_by_number(session)):
            records.changed = True
            transfers = counted(linked, "transfer")
            were = "was" if linked == 1 else "were"
            report.remarks.append(f"{transfers} between own accounts {were} linked")
        workspace.run("CREATE INDEX stored_account ON stored (account)")
        sums = self._sum_days(accounts)
        facts = [fact for account in accounts for fact in self._facts(account, own, sums)]
        touched = dict.fromkeys((*(account.id for account in accounts), *balances.touched))
        report.remarks += own.remarks
        report.remarks += settle_bank_balances(session, touched, facts)
        for statement in workspace.statements:
            report.skipped.update(statement.skipped)
            report.remarks += statement.remarks
        balances.settle(session)
        self._sum_up(accounts)
        self._details |= {
            "profile": next((s.profile for s in workspace.statements if s.profile), None),
            "encoding": next((s.encoding for s in workspace.statements if s.encoding), None),
            "counts": report.counts,
            "accounts": facts,
        }
        report.changed = session.close(records_changed=records.changed, details=self._details)

    # -- accounts

    def _find_accounts(self) -> list[KnownAccount]:
        """The user's accounts that the statements go to."""
        session, workspace, options = self._session, self._workspace, self._options
        name = None if options.account_name is None else _clean_name(options.account_name)
        facts = facts_by_account(session.history)
        keys = {statement.account.key for statement in workspace.statements}
        if name is not None and len(keys) > 1:
            raise ImportRefused(
                f"the file is of {len(keys)} accounts, and --account names one: leave it out",
                answers=(Answer(instead_of=("--account",)),),
            )
        found: dict[str, KnownAccount] = {}
        numbers: list[int] = []
        for number, statement in enumerate(workspace.statements):
            account_id = find_account(
                session,
                workspace.source,
                statement.account,
                name=name,
                currency=options.currency,
                example=(*statement.possible_currencies, "EUR")[0],
            )
            _check_mark(statement, session.accounts.rows[account_id])
            account = found.get(account_id)
            if account is None:
                account = found[account_id] = self._known(number, account_id, facts[account_id])
            account.statements[number] = statement
            numbers.append(account.number)
            if statement.initial is not None:
                self._begin_with(account_id, statement.initial)
        workspace.join_accounts(numbers)
        for account in found.values():
            row = session.accounts.rows[account.id]
            for number, statement in account.statements.items():
                account.scopes[number] = Scope(workspace.source, statement.account, row)
        self._find_covers(list(found.values()))
        return list(found.values())

    def _begin_with(self, account_id: str, initial: int) -> None:
        """The initial balance of an account, where a file has it and no hand has set it."""
        accounts = self._session.accounts
        row = accounts.rows[account_id]
        if "initialBalance" not in row["setByHand"]:
            name = "initialBalance" if row["ownInitialBalance"] is None else "ownInitialBalance"
            accounts.put({**row, name: initial})
        elif row["initialBalance"] != initial:
            self._report.remarks.append(
                f"{row['name']}: its initial balance was set to "
                f"{decimal_text(row['initialBalance'])}; the file says {decimal_text(initial)}"
            )

    def _known(self, number: int, account_id: str, facts: FactsBefore) -> KnownAccount:
        session = self._session
        known = learned(facts, self._workspace.source)
        return KnownAccount(
            number=number,
            id=account_id,
            name=session.accounts.rows[account_id]["name"],
            is_new=session.accounts.stored(account_id) is None,
            is_repeat=self._details.get("file", {}).get("sha256") in known.files,
            learned=known,
            ids=self._options.ids,
        )

    def _find_covers(self, accounts: Iterable[KnownAccount]) -> None:
        of_statement = {
            row["statement"]: (row["first"], row["last"])
            for row in self._workspace.rows(
                "SELECT statement, min(day) AS first, max(day) AS last FROM entries "
                "GROUP BY statement"
            )
        }
        for account in accounts:
            for number, statement in account.statements.items():
                rows = of_statement.get(number, (None, None))
                first, last = (
                    row if told is None else told // DAY_SECONDS
                    for row, told in zip(
                        rows, (statement.first_day, statement.last_day), strict=True
                    )
                )
                if first is not None and last is not None and first <= last:
                    account.covers[number] = Cover(first, last)

    # -- what is reported and remembered

    def _count(self) -> None:
        counts = {
            row["outcome"]: row["found"]
            for row in self._workspace.rows(
                "SELECT outcome, count(*) AS found FROM entries GROUP BY outcome"
            )
        }
        same = counts.get(Outcome.SAME, 0) + counts.get(Outcome.SAME_CONTENT, 0)
        self._report.unchanged += same
        if Outcome.DUPLICATE in counts:
            self._report.skipped["duplicate"] += counts[Outcome.DUPLICATE]

    def _sum_days(self, accounts: Iterable[KnownAccount]) -> _DaySums:
        """For the days at which statements begin or end in the middle."""
        ids: defaultdict[int, list[str]] = defaultdict(list)
        for account in accounts:
            days = {day for each in account.statements.values() for day in _end_days(each)}
            for day in days:
                if day is not None:
                    ids[day].append(account.id)
        found: _DaySums = defaultdict(dict)
        data, user_id = self._session.storage.data, self._session.user.id
        for day, account_ids in ids.items():
            of_day = [any_of("accountId", account_ids), dated(day, day + DAY_SECONDS)]
            sums = data.sum_by(user_id, ["accountId", "importId"], of_day)
            for (account_id, number), each in sums.items():
                found[account_id, day][number or 0] = each.amount
        return found

    def _facts(self, account: KnownAccount, own: OwnSource, sums: _DaySums) -> list[dict[str, Any]]:
        """What the statements of an account told; see `HistoryEntry`."""
        facts = []
        for number, statement in account.statements.items():
            fact: dict[str, Any] = {
                "accountId": account.id,
                "source": self._workspace.source,
                "key": statement.account.key,
                "number": statement.account.number,
                "asOf": statement.as_of,
                "opening": _day_and_units(statement.opening),
                "closing": _day_and_units(statement.closing),
                "texts": statement.texts,
                "options": statement.options,
            }
            names = ("openingBeside", "closingBeside")
            for name, day in zip(names, _end_days(statement), strict=True):
                if day is not None:
                    fact[name] = self._beside(account, day, sums[account.id, day])
            cover = account.covers.get(number)
            if cover is not None:
                fact["first"], fact["last"] = cover.first * DAY_SECONDS, cover.last * DAY_SECONDS
                fact["firstRows"] = own.digest(account.number, cover.first)
                fact["lastRows"] = own.digest(account.number, cover.last)
            facts.append(fact)
        if account.again:
            facts[0]["again"] = account.again
        if account.ids is not None or account.shows_reuse:
            facts[0]["ids"] = account.ids or "reused"
        elif account.stable and account.learned.ids is None:
            facts[0]["ids"] = STABLE
        return facts

    def _beside(self, account: KnownAccount, day: int, sums: Mapping[int, int]) -> dict[str, int]:
        """What records of a day sum to that are not in the file, by the import that made them."""
        data, user_id = self._session.storage.data, self._session.user.id
        found = dict(sums)
        found.pop(self._session.number, None)
        if not found:
            return {}
        held = self._workspace.database.execute(
            "SELECT DISTINCT record FROM stored WHERE account = ? AND taken AND (day = ? "
            "OR k IN (SELECT k FROM entries WHERE account = ? AND day = ?))",
            (account.number, day // DAY_SECONDS) * 2,
        )
        while found and (batch := held.fetchmany(_BATCH)):
            for row in data.get_rows(user_id, RECORDS, [record for (record,) in batch]).values():
                is_of_day = row["recordDate"] - row["recordDate"] % DAY_SECONDS == day
                number = row["importId"] or 0
                if is_of_day and row["recordState"] != VOID and number in found:
                    found[number] -= row["amount"]
        return {str(number): units for number, units in found.items() if units}

    def _sum_up(self, accounts: Iterable[KnownAccount]) -> None:
        sums: dict[int, list[int]] = {}
        for sign, condition in enumerate(("amount > 0", "amount < 0")):
            for row in self._workspace.rows(
                f"SELECT account, {SUM} FROM entries WHERE {condition} "
                "AND outcome NOT IN (?, ?) GROUP BY account",
                Outcome.DUPLICATE,
                Outcome.VOIDS,
            ):
                sums.setdefault(row["account"], [0, 0])[sign] = total(row)
        for account in accounts:
            of = self._session.accounts.rows[account.id]
            money_in, money_out = sums.get(account.number, (0, 0))
            self._report.totals.append(
                AccountTotal(of["name"], of["currencyCode"], money_in, money_out, of["balance"])
            )


def _check_mark(statement: Statement, account: Row) -> None:
    """A symbol that can stand for several currencies must be able to stand for the account's."""
    possible, currency = statement.possible_currencies, account["currencyCode"]
    if possible and currency not in possible:
        raise ImportRefused(
            f"the amounts are in {statement.currency_mark}, but the account {account['name']} is "
            f"in {currency}: name another one with --account, or the currency with --currency"
        )


def _end_days(statement: Statement) -> tuple[int | None, int | None]:
    """The days of which the file may have a part: where its statement begins, and where it ends."""
    first = statement.opening if statement.first_day is None else None
    last = statement.closing
    return None if first is None else first.date + DAY_SECONDS, None if last is None else last.date


def _day_and_units(balance: BankBalance | None) -> list[int] | None:
    return None if balance is None else [balance.date, balance.amount]


def _clean_name(text: str) -> str:
    try:
        name = clean_or_none(text.strip())
    except TextError as error:
        raise ImportRefused(f"--account {error}") from None
    if name is None:
        raise ImportRefused("--account is empty")
    return name
