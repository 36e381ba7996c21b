"""Opening of orders."""
