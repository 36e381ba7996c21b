"""Payments to an account number (virtual account) or for a voucher of the order."""
