"""The usage of the public API by user and day: counted off the request path, kept 400 days."""
