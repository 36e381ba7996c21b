"""Payments that this process has just opened, in memory."""
