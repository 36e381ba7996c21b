"""The archive of payments that ended long ago: move them there, find them, bring them back."""
