"""The texts of the rows that the chain seals."""
