"""The machine: its disks and the gateway's port."""
