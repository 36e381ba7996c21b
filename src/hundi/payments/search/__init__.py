"""Search payments by any reference a caller may have, also in the archive."""
