"""A settlement on paper: its rows, and what they come to."""
