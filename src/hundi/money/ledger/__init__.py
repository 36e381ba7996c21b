"""The books of every merchant: accounts, append-only postings between them, and balances.

A posting is one row: debit account, credit account, amount, currency. So no posting can be
unbalanced, and none is ever changed. A balance is a sum; old postings are rolled up into
checkpoints, so no row is hot. `chart` has the accounts, `rules.py` the postings of each cause.
"""
