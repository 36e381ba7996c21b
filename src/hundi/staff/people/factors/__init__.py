"""The secrets of a second factor."""
