"""The document of a price plan."""
