"""Money: the books of every merchant, and the hand that proves them."""
