"""Partners: affiliates that call the identity, GST, card, lead, offer and POS interfaces, a room
each.
"""
