"""Measures a running gateway over HTTP; a tool of the repository, not part of the product."""
