"""Messages of the partners' interfaces."""
