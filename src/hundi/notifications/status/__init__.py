"""The status of deliveries, as people read it."""
