"""The bank's clock."""
