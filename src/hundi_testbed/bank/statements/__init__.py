"""Statements: what the acquirer tells of a day, and what reached the gateway's own bank account."""
