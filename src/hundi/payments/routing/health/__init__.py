"""How banks and acquirers do."""
