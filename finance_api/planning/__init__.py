"""Fields computed at request time: budget periods, progress, the next due date."""
