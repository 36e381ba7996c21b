"""The signed roots of the days, and the key that signs them."""
