"""Holders' consents."""
