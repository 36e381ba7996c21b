"""The simulated register of holders of identity numbers, and their phones."""
