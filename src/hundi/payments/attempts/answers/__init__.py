"""Answers of the bank about attempts: by callback, by inquiry, and what each changes."""
