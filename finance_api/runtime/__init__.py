"""The parts that run the application: background work, limits, the clock, logs and metrics."""
