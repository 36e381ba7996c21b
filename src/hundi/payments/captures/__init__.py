"""How an authorisation ends: captured, or given back."""
