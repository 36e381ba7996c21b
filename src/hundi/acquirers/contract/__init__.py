"""The promises of every connector, as checks that its tests run."""
