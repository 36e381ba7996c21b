"""Metrics for an operator's monitoring: counters of every process of a machine, overdue work."""
