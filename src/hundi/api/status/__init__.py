"""The public status page, as HTML and as JSON: made once every few seconds, for everybody."""
