"""How much may be refunded, and by whom."""
