"""The audit: the books checked against themselves and against the bank, by a hand of its own."""
