"""Transfers to an order's account number, and cash for its voucher."""
