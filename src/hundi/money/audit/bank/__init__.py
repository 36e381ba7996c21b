"""The audit against the acquirers' books."""
