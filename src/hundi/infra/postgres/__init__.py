"""PostgreSQL for all features: connections, batches, wake-ups, schema, roles and clusters."""
