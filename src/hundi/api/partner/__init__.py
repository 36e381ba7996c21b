"""The partner's side: one file per interface of the second document."""
