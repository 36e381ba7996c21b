"""What a payment's story comes to: one sentence for people who have no time for the chain."""
