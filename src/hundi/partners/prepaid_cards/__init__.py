"""The cards of a customer, as the card programme has them."""
