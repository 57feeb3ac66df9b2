"""The records by date: a materialised read model of what most lists show.

Derived from the records, kept in step with them by each unit of work that writes, and made anew by
`rebuild_all` where its stored version is not this program's.
"""
