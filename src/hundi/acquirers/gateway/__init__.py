"""Another gateway with our own merchant interface, of which we are a merchant."""
