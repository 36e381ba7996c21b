"""The words of letters: those for customers in the languages of the payment page."""
