"""Access: tokens for calls, session addresses for customers, and the log of refused requests."""
