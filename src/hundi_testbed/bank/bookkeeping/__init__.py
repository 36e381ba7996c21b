"""The books that the bank shows, and the numbers that it gives out."""
