"""The console: screens for merchants' staff and the operator."""
