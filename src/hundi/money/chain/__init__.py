"""The chain: digests of the books' rows in linked blocks, and a signed root for each bank day.

The worker seals new rows every 5 minutes, in one chain for each merchant
(docs/decisions/0017-books-are-sealed-in-a-chain.md).
"""
