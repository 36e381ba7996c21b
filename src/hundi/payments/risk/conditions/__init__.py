"""The conditions of a risk rule."""
