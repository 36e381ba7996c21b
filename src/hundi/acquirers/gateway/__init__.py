"""The connector of another gateway with our own merchant interface, where we are a merchant."""
