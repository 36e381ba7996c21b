"""More time for a payment session."""
