"""The stored passkeys of people."""
