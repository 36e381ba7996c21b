"""Payments: an order to be paid, the attempts at it, and what the bank says of both."""
