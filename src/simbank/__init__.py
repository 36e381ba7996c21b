"""The simulated bank network: the outside world, with its own app, database and books, and nothing of the gateway."""
