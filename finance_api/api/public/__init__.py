"""The public API: one module for each endpoint, and one for all lists."""
