"""The OpenAPI descriptions of the interfaces, made from the types and bounds of their messages."""
