"""What the service is compared with: the same answers from the same data, made the usual way."""
