"""Late successes: payments declined or pending now, which succeed later with a callback."""
