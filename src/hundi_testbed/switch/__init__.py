"""A simulated switch of a bank that speaks ISO 8583: books of its own, and troubles of real ones.

Written from the published field lists and apart from the connector; it imports nothing of the
gateway.
"""
