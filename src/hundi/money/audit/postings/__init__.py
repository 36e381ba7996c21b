"""The audit of postings, what they are of, and their sums."""
