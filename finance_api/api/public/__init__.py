"""The public surface: one module for each endpoint."""
