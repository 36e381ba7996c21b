"""A plan tried on past attempts."""
