"""The audit of notifications to merchants and partners."""
