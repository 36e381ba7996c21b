"""Cards that customers let a merchant keep, by network tokens."""
