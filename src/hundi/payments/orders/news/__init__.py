"""Refund, mandate and dispute details of notifications."""
