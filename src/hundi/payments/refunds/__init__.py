"""Refunds: requested by merchants, of money that orders could not keep, and of late payments."""
