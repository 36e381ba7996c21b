"""How rows of some days are found."""
