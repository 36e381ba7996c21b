"""The simulated bank network: the outside world, with its own app, database and books; it imports nothing of the gateway."""
