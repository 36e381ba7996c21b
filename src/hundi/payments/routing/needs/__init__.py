"""What an order asks of the acquirer that takes it."""
