"""Notifications to the merchant's server: at least once, in order for each payment, signed."""
