"""The public API: one module for each endpoint."""
