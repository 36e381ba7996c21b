"""How long tests wait."""

PATIENCE_S = 200.0
"""How long a test waits for what must come, on a slow machine beside other tests.

A wait that ends early costs nothing.

A bank that has no record is believed 60 s after a call that may have been lost, and asked every 30
s then.
"""
