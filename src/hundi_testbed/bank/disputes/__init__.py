"""Disputes of payments by customers' banks, phase by phase."""
