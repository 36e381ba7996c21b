"""What acquirers call our attempts, refunds, payouts and checks of accounts."""
