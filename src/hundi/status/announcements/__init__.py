"""Incidents and maintenance that an operator announces, each in one sentence."""
