"""Documents that people give us: what is whole, and nothing else, is kept."""
