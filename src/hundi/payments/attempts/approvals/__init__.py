"""Approvals: what becomes of an attempt that the bank took or holds money for."""
