"""Subscriptions: a mandate that a customer approved once, its schedule, and one debit a period."""
