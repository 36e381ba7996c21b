"""Work of the whole gateway that runs once every so often, whichever of the workers runs it."""
