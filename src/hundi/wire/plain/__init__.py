"""The plain interface: what `/v1` takes and answers, for who has no kit."""
