"""The people who work with Hundi: sign-in, roles, trail, approvals."""
