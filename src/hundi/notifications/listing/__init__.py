"""The list of its notifications that a merchant's server reads."""
