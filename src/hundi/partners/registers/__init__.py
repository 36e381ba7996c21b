"""Who answers for identity, GST and cards: the simulated registers, or an upstream that speaks our own interface."""
