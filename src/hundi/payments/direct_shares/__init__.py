"""Shares of payments that an acquirer settles to linked accounts itself."""
