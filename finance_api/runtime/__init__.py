"""What runs the application: background work, limits, the clock, logs and metrics."""
