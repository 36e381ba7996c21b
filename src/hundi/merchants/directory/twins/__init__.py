"""A live merchant and its sandbox: two merchants, of which each knows the other."""
