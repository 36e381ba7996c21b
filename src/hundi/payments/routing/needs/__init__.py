"""What an order needs of its acquirer."""
