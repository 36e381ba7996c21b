"""A whole audit in parts of some days each: a stopped one goes on where it was."""
