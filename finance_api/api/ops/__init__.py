"""For operators and their monitoring: health, version, metrics."""
