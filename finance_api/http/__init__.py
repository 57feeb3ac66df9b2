"""The parts that every request goes through: tweens, request object, limits, error responses."""
