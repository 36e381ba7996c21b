"""The port: capabilities of acquirers, with the arguments and the answers of each call."""
