"""A plan of payouts, tried on past payouts."""
