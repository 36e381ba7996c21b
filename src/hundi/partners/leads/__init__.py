"""Businesses that want to become merchants."""
