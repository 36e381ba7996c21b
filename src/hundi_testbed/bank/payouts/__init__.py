"""Payouts from the gateway's account, and checks of the accounts that receive them."""
