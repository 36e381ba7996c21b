"""People and their roles: merchants' staff and the operator's."""
