"""The bank's published books, and its reference numbers."""
