"""Payments: orders, the attempts at paying them by any method, and what becomes of the money afterwards."""
