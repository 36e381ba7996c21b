"""An affiliate's offers to its customers, shown on a page."""
