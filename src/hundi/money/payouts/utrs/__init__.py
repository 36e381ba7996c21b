"""The UTRs under which a merchant was paid: of a settlement, of an attempt."""
