"""The channels by which an order can be paid."""
