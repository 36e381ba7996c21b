"""The audit of statements: their lines, hand-overs and corrections by two people."""
