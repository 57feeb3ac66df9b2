"""The internal API: one module for each endpoint."""
