"""Builds the documentation's site: Zensical with our theme, then what it cannot do itself."""
