"""Payments: orders, attempts by any method, and captures, refunds and splits."""
