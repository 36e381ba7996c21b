"""How a payment is shared between a merchant and its linked accounts."""
