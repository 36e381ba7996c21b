"""What the test bed adds to the command line of the gateway."""
