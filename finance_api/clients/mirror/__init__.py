"""A copy of a user's data in a SQLite file, kept up to date through the API's changes."""
