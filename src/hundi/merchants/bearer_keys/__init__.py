"""Bearer keys, with which a merchant's server calls the plain interface."""
