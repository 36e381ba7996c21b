"""Complaints of payers about a payment, and the answers of merchants."""
