"""Terminals in shops, and their sales."""
