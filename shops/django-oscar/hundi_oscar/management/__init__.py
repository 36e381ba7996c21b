"""Of Django."""
