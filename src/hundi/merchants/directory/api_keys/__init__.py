"""Further API secrets of a merchant."""
