"""The audit of what merchants and partners are told."""
