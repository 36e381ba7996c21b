"""Statements: the acquirer's of a day, and the gateway's own bank account's."""
