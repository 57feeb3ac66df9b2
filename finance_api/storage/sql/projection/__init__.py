"""The projection: a materialised read model of what most requests read.

The records by date with anchors in them, and every row as the JSON object of a response. It
is derived from the rows and changes with them in the same transaction. Where its stored version is
not this program's, `rebuilding` rebuilds it.
"""
