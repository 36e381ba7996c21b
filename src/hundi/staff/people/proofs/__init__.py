"""Proofs of how people sign in and what they may do."""
