"""The audit of the chain: sealed rows, blocks and roots are computed again independently."""
