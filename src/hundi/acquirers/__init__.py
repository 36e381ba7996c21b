"""Acquirers: one narrow port, one package for each acquirer, and the contract that each passes."""
