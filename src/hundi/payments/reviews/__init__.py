"""Payments that a risk rule holds, and what an operator decides about them."""
