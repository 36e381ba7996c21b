"""Refunds of payments."""
