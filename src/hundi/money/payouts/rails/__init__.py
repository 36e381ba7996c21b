"""The rails of payouts."""
