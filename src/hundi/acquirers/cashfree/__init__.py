"""Cashfree Payments: UPI links, payment links, banks, wallets, cards and refunds
(docs/cashfree.md).
"""
