"""Answers of the bank to attempts, by callback and by inquiry, and what each changes."""
