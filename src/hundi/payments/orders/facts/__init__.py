"""The facts of a payment for outsiders."""
