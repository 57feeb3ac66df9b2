"""What readers of double-entry programs share: from transactions with legs to native objects.

A reader makes `model.Account`s and `model.Transaction`s, and hands them to
`mapping.DoubleEntry`, which yields accounts, categories, labels, records, splits and transfers:

    ledger = DoubleEntry(ids, accounts, transactions, places)
    yield from ledger.documents()
    ledger.compare(balances, "GnuCash")     # the program's own balances, if it tells them
    self.balances, self.remarks = ledger.balances, [*ledger.remarks()]

`ledger.names` has the ids of accounts and categories, for budgets and standing orders.
"""
