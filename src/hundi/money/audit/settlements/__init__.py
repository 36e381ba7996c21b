"""The audit's look at settlements: what they take, what they post, and what they carry on."""
