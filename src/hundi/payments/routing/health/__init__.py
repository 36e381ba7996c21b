"""The health of banks and acquirers."""
