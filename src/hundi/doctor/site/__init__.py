"""The gateway as customers and merchants reach it: name, certificate, proxy."""
