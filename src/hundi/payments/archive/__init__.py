"""The archive of payments that ended long ago: moved there, found there, brought back to change."""
