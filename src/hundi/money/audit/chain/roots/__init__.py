"""The signed roots of the chain, and the blocks that they are made of."""
