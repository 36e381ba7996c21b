"""The items of a payment link: what is paid for, line by line."""
