"""Settings, the data directory and the Python that runs Hundi."""
