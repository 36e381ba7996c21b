"""Keys of merchants."""
