"""Files that users send to be imported: kept for an hour, checked, previewed, imported.

The work runs outside of requests, in a process of its own. Its state is only in the database, so
that any process can show it and detect work whose process has died.
"""
