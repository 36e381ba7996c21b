"""Requests of one person that another decides (maker and checker)."""
