"""The usage of the public API by user and day: counted in the background, kept 400 days."""
