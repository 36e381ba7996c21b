"""Reminders of a payment link that is not paid yet: when each is due, and who sent it."""
