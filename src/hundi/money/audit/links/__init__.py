"""The checks of payment links."""
