"""The machine: its disks, the gateway's port and its clock."""
