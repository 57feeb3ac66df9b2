"""The kinds of values that all layers use: exact numbers, UTC time, text, identifiers.

A stored value is always a plain Python object, the same on every storage:

===========  =====================================================================
number       ``int``, ten-thousandths (or whole units for a count)
date, time   ``int``, seconds since 1970-01-01T00:00:00Z
text         ``str``, NFC, never blank
id           ``str``, a lower-case UUID of 36 characters
boolean      ``bool``
list         ``tuple[str, ...]``
===========  =====================================================================

A missing value is ``None``.
"""

from typing import Any

#: A row of a resource: public field name -> stored value.
Row = dict[str, Any]
