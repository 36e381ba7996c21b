"""The protocol."""
