"""Signing in by passkey."""
