"""Connections to SQLite and PostgreSQL, and how a SQLAlchemy select runs on the driver.

engine: pools of connections. unit: the connection of a unit of work, SQL that is compiled once,
the interface of drivers, and SQLite's driver. postgresql: PostgreSQL's driver. failures: which of
our errors a driver's error means.
"""
