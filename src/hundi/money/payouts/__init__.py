"""Payouts: a share of a settlement is paid to a bank account."""
