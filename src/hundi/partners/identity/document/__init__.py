"""The offline document of an identity."""
