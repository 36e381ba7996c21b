"""Reports as files: asked for by somebody, made by the worker, kept for some weeks."""
