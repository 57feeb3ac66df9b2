"""What every request passes through: tweens, the request object, limits and error responses."""
