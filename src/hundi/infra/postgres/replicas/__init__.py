"""Reading from a replica that has all the primary had when a command began."""
