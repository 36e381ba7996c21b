"""A simulated switch of a bank that speaks ISO 8583, with its own books and realistic troubles.

Written from the published field lists, independently of the connector; it imports nothing of the
gateway.
"""
