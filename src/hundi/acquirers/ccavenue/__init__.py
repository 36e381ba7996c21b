"""CCAvenue."""
