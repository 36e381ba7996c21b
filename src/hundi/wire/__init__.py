"""The protocol as existing clients use it, pure: typed values or one declared error."""
