"""The interface of an aggregator: orders with tries, UPI links, a page of its own."""
