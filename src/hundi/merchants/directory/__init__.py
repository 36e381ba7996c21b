"""Merchants: who they are, their secrets, and their settings."""
