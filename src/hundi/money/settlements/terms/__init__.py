"""The terms of settlements, in versions."""
