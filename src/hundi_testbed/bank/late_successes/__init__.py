"""Late successes: payments declined or undecided now, which succeed later."""
