"""The keys that secrets are sealed with, and their copy."""
