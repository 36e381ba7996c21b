"""Payments at the pages of a bank or wallet: the customer goes there, pays, and comes back."""
