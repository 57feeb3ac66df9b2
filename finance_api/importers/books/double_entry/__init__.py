"""What readers of double-entry programs share: from transactions with legs to native objects.

A reader makes `model.Account`s and `model.Transaction`s, and hands them to
`mapping.DoubleEntry`, which yields accounts, categories, labels, records, splits and transfers:

    ledger = DoubleEntry(ids, accounts, transactions, self.remarks)
    yield from ledger.documents()
    self.balances = ledger.balances()

`ledger.names` has the ids of accounts and categories, for budgets and standing orders.
"""
