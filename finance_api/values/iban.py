"""Account numbers that no two banks give (ISO 13616)."""

import re

_IBAN = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}")


def compact(number: str) -> str:
    """An account number as it is compared: without blanks, in upper case."""
    return "".join(number.split()).upper()


def is_iban(number: str) -> bool:
    """Whether a compact number has the form of an IBAN."""
    return _IBAN.fullmatch(number) is not None
