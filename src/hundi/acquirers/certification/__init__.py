"""The steps by which an operator certifies an account: derived from its connector's abilities."""
