"""How a hold on a card ends: captured, or given back."""
