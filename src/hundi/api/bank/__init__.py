"""The bank's side: what acquirers send us."""
