"""The OpenAPI description of the payment interface, made from the messages' own types."""
