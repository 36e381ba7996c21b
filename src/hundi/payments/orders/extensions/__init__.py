"""Extensions of a payment session."""
