"""Which acquirer takes an attempt: of those that can do what its order needs."""
