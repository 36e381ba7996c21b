"""Payers who ask where their money is: a reference, a code to the contact of the payment, a look.

The page says the same whether or not there is such a payment: it writes the question down, and a
worker looks. docs/where.md says what is promised.
"""
