"""Standbys of the database: whether each follows it, and whether commits wait for one."""
