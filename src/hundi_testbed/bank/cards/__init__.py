"""A simulated card programme."""
