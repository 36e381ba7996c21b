"""An audit that starts from a day: what changed since, instead of all there is."""
