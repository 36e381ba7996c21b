"""Settlements: what a merchant is owed on a day, and in which shares it leaves."""
