"""Terminals in shops, and what was sold through them."""
