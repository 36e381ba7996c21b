"""What holders agreed to."""
