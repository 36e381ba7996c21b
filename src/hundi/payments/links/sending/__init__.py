"""Letters that bring a payment link to a customer."""
