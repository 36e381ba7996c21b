"""Signing in: password, second factor, sessions, and limits against guessing."""
