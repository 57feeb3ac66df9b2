"""Turns a plan of YNAB into objects of the native format."""

from collections.abc import Generator
from typing import BinaryIO

from finance_api.importers.books.reading import BookIds, BookReader, Document
from finance_api.importers.books.single_entry import SingleEntry
from finance_api.importers.books.ynab.names import Names
from finance_api.importers.books.ynab.plan import Plan, read_plan
from finance_api.importers.books.ynab.plans import limits, standing_orders
from finance_api.importers.books.ynab.transactions import entries, other_activity

#: All amounts are thousandths of the currency's unit.
_UNITS = 1_000


class YnabReader(BookReader):
    program = "YNAB"
    advice = (
        ": the file may have only what changed; ask YNAB's API for the whole plan, without "
        "last_knowledge_of_server"
    )

    def read(self, stream: BinaryIO) -> Generator[Document]:
        plan, remarks = read_plan(stream), self.remarks
        currency = self.currency((plan.currency_format or {}).get("iso_code"))
        names = Names(plan, remarks)
        book = SingleEntry(
            BookIds(f"ynab:{plan.id}"),
            currency,
            _UNITS,
            names.accounts,
            names.categories,
            remarks,
            names.uncategorized,
        )
        transactions = entries(plan, names)
        yield from book.records(lambda: transactions)
        yield from book.budgets(limits(plan, names, remarks))
        yield from standing_orders(plan, names, book)
        yield from book.named()
        self.balances = book.balances({each.id: each.balance for each in plan.accounts})
        remarks.name(
            "activity of categories that differs from their transactions",
            *other_activity(plan, names, transactions),
        )
        self._count_what_is_not_read(plan)

    def _count_what_is_not_read(self, plan: Plan) -> None:
        count, rows = self.remarks.count, plan.transactions
        count(
            "transactions that are not approved yet, which count as in YNAB",
            sum(not row.approved for row in rows),
        )
        count(
            "transactions whose id from the bank is not imported",
            sum(row.import_id is not None for row in rows),
        )
        for noted in (plan.accounts, plan.categories, plan.months):
            count(
                "notes of accounts, categories and months, not imported",
                sum(bool(each.note) for each in noted),
            )
        count("places of payees, not imported", len(plan.payee_locations))
