"""A demo's clock, which can be moved forward; every process of the gateway follows it."""
