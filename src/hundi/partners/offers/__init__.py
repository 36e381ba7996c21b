"""What an affiliate grants its customers, shown on a page."""
