"""The document of a routing plan."""
