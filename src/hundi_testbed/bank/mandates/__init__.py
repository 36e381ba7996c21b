"""Mandates approved by customers, notices of debits, and the debits."""
