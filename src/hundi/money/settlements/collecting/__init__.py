"""The cost of postings and the day they are ready."""
