"""Mandates: what customers approved once, notices of debits, and the debits."""
