"""Requests to ask an acquirer about an attempt."""
