"""Clients of the HTTP API: tools of agents, and a copy of the data in a SQLite file.

They open no storage. From the rest of the package they import only the declarations of the
resources.
"""
