"""Actual Budget: the ZIP file of *Export data*, or the db.sqlite in it."""
