"""A rule set tried on past payments."""
