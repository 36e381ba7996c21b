"""Drives a running gateway over HTTP and says what it costs; a tool of the repository, not part of the product."""
