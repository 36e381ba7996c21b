"""The report of a settlement: its rows and their sums."""
