"""Clients of the HTTP API: tools for agents, and a copy of the data in a SQLite file.

They open no storage. From the rest of the package they import only declarations of resources and
`finance_api.values`.
"""
