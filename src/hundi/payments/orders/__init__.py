"""Payments: an order to be paid, the attempts at it, and the bank's answers to both.

An order is one row of `payments`, each try at paying it a row of `attempts`, each change a row of
`payment_events`. A change is a `Step`: pure rules decide it from the order with all its attempts,
and the store writes it only if the payment's revision is still the one that was read
(docs/decisions/0002-steps-guarded-by-revision.md). A slower writer reads and decides again. Steps
of several customers at the same moment share a transaction, and nothing else.

Refunds, captures, voids and splits have rows of their own: they lock the payment, read, and write
row and step in one transaction. Each step is checked against the moves of `kernel/moves.py`.

An order has one success at most. A second one is an excess payment, which is owed back. A success
after the order failed or ended is a late success, which the merchant keeps or refunds.
"""
