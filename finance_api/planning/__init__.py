"""What is worked out at request time: budget periods, progress, the next due date."""
