"""Find a payment by what its merchant knows of it, also in the archive."""
