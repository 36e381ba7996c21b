"""Merchants' answers to disputes."""
