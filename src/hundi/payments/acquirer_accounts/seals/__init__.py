"""Seals of the secrets of acquirer accounts, made again under a newer key."""
