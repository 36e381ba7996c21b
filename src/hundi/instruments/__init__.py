"""Ways to pay, as rules: what a card number and a UPI address must look like, and which way is open to whom."""
