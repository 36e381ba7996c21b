"""Payments by card: with a challenge, in instalments, or by telephone and mail (MOTO)."""
