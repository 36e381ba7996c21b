"""The audit's look at fees: each is what its price plan says, and invoices are what was charged."""
