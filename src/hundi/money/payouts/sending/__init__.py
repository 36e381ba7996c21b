"""Payouts on their way: sent by a provider, asked about, sent by another where nothing left."""
