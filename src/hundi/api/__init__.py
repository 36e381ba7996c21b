"""The interfaces that merchants and banks call: one file each, a pipeline before them, a table of answers behind."""
