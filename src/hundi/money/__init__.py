"""Money: the books of every merchant, and the independent audit that proves them."""
