"""The protocol as existing clients speak it, pure: typed values or one declared error."""
