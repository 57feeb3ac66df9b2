"""Connections to SQLite and PostgreSQL.

engine: pools of connections. unit: the connection of a unit of work, on SQLAlchemy. drivers: SQL
that is compiled once, and runs on SQLite's driver. postgresql: PostgreSQL's driver. failures: which
of our errors a driver's error means.
"""
