"""Disputes: customers' banks that want a payment back, phase by phase."""
