"""Payments by bank transfer to an account number of the order (virtual account)."""
