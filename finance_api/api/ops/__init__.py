"""For operators and their machines: health and version."""
