"""Rules that never match, or that contradict each other."""
