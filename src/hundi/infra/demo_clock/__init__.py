"""A demo's clock, which can be moved on: every process of the gateway follows it."""
