"""Passwords by argon2id."""
