"""Documents as PDF: one way to draw them, with letters of every script that our customers read."""
