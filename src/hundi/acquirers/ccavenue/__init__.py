"""The connector of CCAvenue."""
