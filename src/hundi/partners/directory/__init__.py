"""Affiliates that call the identity, GST, card, lead and offer interfaces."""
