"""Statements, imported whole or not at all."""
