"""Merchants: who they are, the secrets they hold, the settings they choose."""
