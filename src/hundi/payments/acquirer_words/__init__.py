"""What acquirers call our attempts and refunds."""
