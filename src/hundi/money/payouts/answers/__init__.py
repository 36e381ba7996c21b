"""What providers and banks answer about payouts."""
