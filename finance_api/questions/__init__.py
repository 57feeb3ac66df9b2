"""Saved questions: each is a name and one request to the public API, answered when asked."""
