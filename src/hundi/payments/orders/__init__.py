"""Payments: an order to be paid, the attempts at paying it, and what the bank's word does to both."""
