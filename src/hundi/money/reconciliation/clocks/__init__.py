"""Regulatory clocks: how long a payment or refund may stay open, and what it costs after that."""
