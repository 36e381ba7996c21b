"""The key that signs documents."""
