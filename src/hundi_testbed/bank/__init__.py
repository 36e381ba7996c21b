"""The simulated bank network: an application with its own database, and no code of the gateway."""
