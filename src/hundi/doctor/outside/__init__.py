"""Servers of others: acquirers, and the addresses that merchants' notifications go to."""
