"""The refund, mandate or dispute that a notification is about."""
