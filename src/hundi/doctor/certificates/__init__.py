"""What is known about the ends of certificates: looked at once a day, read by Home."""
