"""Files of payouts for the operator's bank, and the reports that it gives back."""
