"""Files of payouts for the operator's bank, and the bank's reports about them."""
