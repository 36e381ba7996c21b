"""One-time links: of an invitation, a reset or a demo."""
