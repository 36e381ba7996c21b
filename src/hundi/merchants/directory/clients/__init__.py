"""Kinds of merchants' clients."""
