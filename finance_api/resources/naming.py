"""Converts names of fields and resources to other spellings."""

import re

# The start of a word: a capital after a small letter or digit, or the last of several capitals.
_WORD_START = re.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

_CAMEL_CASE = re.compile("[a-z][a-zA-Z0-9]*")


def snake_case(name: str) -> str:
    """Convert to snake case: ``recordDate`` -> ``record_date``, ``homeURL`` -> ``home_url``."""
    return _WORD_START.sub("_", name).lower()


def is_camel_case(name: str) -> bool:
    """Whether it is an ASCII identifier that starts with a small letter and has no underscore."""
    return _CAMEL_CASE.fullmatch(name) is not None
