"""Totals of settlements whose lines an acquirer does not name."""
