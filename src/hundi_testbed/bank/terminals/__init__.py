"""The simulated terminal of a shop."""
