"""How mandates stand at their acquirers: ended, paused and resumed there, or approved twice."""
