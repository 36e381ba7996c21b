"""The connector of Easebuzz."""
