"""Money that the gateway pays out of its account, and the checks of accounts that it pays to."""
