"""Work of the whole gateway that runs periodically, on any one of the workers."""
