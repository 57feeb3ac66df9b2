"""The parts that every request passes: tweens, the request object, limits, error responses."""
