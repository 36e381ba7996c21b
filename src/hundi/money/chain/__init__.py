"""The chain: digests of the books' rows in linked blocks, and a signed root per bank day."""
