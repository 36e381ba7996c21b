"""Money that goes back from a debit to the customer."""
