"""Reports over all merchants, for the operator: each merchant's own lines, and their sums."""
