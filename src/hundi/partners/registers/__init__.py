"""Registers that answer for identity, GST and cards: simulated ones, or an upstream provider."""
