"""Payments as lines of a file: what each one brought, cost, and where it was settled."""
