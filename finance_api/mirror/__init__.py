"""A copy of a user's data in a SQLite file, kept up to date through the API's changes.

It is a client of the HTTP API, and imports only the declarations of the resources from the rest of
the package.
"""
