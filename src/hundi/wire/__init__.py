"""The protocol as existing clients speak it, pure: bytes and texts in, typed values or one declared error out."""
