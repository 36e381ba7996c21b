"""The hosted payment page, from the merchant's button to the return to the merchant."""
