"""The console: screens in which merchants' staff and the operator run their business."""
