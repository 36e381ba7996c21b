"""The audit of the chain: sealed rows, blocks and roots, computed anew by a hand of its own."""
