"""Requests to inquire about an attempt."""
