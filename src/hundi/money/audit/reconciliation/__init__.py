"""The checks of statements: their lines, what was handed over, and what two people corrected."""
