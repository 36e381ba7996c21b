"""The state of deliveries, as people read it."""
