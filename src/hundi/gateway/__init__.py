"""The gateway as it runs: the API process and the worker, and what puts their parts together."""
