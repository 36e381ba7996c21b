"""Disputes: customers' banks want payments back, phase by phase, and what merchants answer."""
