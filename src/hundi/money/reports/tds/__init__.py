"""What tax at source would be on: a merchant's fees and sales of a financial quarter."""
