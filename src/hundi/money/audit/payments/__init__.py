"""The audit of payments, attempts and events."""
