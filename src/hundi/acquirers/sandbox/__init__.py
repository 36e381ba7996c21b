"""The connector to the simulated bank network."""
