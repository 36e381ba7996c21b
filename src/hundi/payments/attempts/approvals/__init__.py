"""Approvals: what becomes of an attempt that the bank paid or holds money for."""
