"""The evidence of what accounts at acquirers were tried with, and whether they are ready."""
