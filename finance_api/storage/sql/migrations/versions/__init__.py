"""Each module here is one migration."""
