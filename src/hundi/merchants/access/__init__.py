"""Access: tokens for calls, session addresses for customers, and the record of what was refused."""
