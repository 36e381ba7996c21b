"""Cashfree Payments: links, banks, wallets, cards and refunds (docs/cashfree.md)."""
