"""The list of the people of a place."""
