"""Connections to SQLite and PostgreSQL, from a SQLAlchemy select to the database's driver.

engine: pools of connections. unit: the connection of a unit of work. drivers: SQL that is built
once, the interface of the drivers, and SQLite's. postgresql: PostgreSQL's. failures: what errors
mean.
"""
