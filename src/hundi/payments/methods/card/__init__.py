"""Payments by card: with the holder's challenge, in instalments, or by telephone and mail (MOTO)."""
