"""The provider and the rail of a payout."""
