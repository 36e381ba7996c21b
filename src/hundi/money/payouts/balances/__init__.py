"""Balances that payouts leave from, as providers tell them."""
