"""The audit of payouts and of the accounts that they go to."""
