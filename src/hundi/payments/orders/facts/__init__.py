"""What outsiders read of a payment."""
