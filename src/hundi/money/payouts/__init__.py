"""Money that leaves: a payout for each share of a settlement."""
