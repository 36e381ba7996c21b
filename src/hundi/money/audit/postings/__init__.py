"""The audit of postings, their causes and their sums."""
