"""Faults of a risk document."""
