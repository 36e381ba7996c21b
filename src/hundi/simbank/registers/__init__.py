"""Simulated registers: who is registered for GST, who holds an Aadhaar number, and which cards were issued."""
