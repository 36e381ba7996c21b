"""What plans that choose acquirers share: for payments, and for payouts."""
