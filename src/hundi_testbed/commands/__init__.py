"""The test bed's commands of the gateway's command line."""
