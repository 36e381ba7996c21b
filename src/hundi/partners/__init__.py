"""Partners: affiliates that call identity, GST, card, lead, offer and POS interfaces."""
