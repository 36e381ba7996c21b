"""The hosted payment page: what a customer sees between a merchant's button and the merchant's thank-you."""
