"""The chain: digests of the books' rows in linked blocks, and a signed root for each business day."""
