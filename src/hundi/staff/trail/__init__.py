"""The trail: what people did, append only, each entry chained to the one before."""
