"""How orders end unpaid."""
