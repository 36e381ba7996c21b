"""Disputes: customers' banks demand payments back, phase by phase, and merchants answer."""
