"""The chart of accounts."""
