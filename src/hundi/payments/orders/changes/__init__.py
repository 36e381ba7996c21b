"""Which payments changed since a mark, in the order of transactions: for what follows payments."""
