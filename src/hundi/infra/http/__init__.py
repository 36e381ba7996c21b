"""HTTP in both directions: the client, the server, and the order of requests."""
