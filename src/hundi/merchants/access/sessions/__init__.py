"""Session addresses of the payment page."""
