"""The checks of payouts and of the accounts that they go to."""
