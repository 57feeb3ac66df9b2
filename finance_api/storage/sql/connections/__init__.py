"""Connections to SQLite and PostgreSQL.

engine: pools of connections. postgresql: what a new connection is asked. unit: the connection of a
unit of work, on SQLAlchemy. failures: which of our errors a driver's error means.
"""
