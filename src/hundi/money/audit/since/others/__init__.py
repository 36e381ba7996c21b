"""What an audit since a day reads of checks, notes and figures that have no days."""
