"""Regulatory clocks: how long a payment or refund may hang, and what it costs after that."""
