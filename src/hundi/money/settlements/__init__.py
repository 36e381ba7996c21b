"""Settlements: the amount a merchant is owed for a day, and the shares in which it leaves."""
