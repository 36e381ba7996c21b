"""Reading from a replica that has what the primary had when a command began."""
