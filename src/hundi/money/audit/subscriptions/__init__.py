"""The audit of subscriptions and their debits."""
