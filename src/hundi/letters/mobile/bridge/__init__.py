"""SMS and WhatsApp by an adapter of the operator's own, which may stand before any provider."""
