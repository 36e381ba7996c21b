"""How an authorisation ends: captured, or voided."""
