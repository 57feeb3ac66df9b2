"""Connections to SQLite and PostgreSQL, from a SQLAlchemy select to the database's driver.

engine: pools of connections, and the kinds of errors. unit: the connection of a unit of work.
compiled: SQL that is built once, and the interface of the drivers. sqlite, postgresql: the drivers.
"""
