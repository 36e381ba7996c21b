"""What an acquirer certainly did not take is tried at the next one."""
