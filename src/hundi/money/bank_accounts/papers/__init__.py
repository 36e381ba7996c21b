"""Papers that show whose a bank account is, and that a second person accepts."""
