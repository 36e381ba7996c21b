"""Reconciliation: statements of acquirers and of our bank account, compared with our books."""
