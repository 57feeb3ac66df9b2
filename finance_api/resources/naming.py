"""Other spellings of the names of fields and resources."""

import re

# Before a capital that follows a small letter or digit, or that begins a word after capitals.
_WORD_START = re.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

_CAMEL_CASE = re.compile("[a-z][a-zA-Z0-9]*")


def snake_case(name: str) -> str:
    """``recordDate`` -> ``record_date``, ``homeURL`` -> ``home_url``."""
    return _WORD_START.sub("_", name).lower()


def is_camel_case(name: str) -> bool:
    """Whether it is an ASCII identifier that begins with a small letter and has no underscore."""
    return _CAMEL_CASE.fullmatch(name) is not None
