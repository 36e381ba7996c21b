"""GST: who is registered under a number, and what tax comes to."""
