"""Sealed secrets, and the keys that open them."""
