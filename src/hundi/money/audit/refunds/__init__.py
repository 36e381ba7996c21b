"""The audit of refunds."""
