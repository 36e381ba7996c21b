"""HTTP in both directions: the client, the server, and whose turn it is."""
