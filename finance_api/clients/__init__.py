"""Clients of the HTTP API: tools for agents, and a copy of the data in a SQLite file.

They open no storage. From the rest of the package they import only what describes the API: its
resources and queries, and `finance_api.values`.
"""
