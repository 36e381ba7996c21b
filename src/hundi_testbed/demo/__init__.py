"""A demo: its merchants, its shop, and the weeks of business before its first day."""
