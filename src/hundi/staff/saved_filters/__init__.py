"""Filters of the console's lists that a person saved under a name, for themselves alone."""
