"""Which rows each check reads in an audit of some days."""
