"""Texts of banks, without their padding."""

from finance_api.values.text import clean


def one_line(*texts: str | None) -> str | None:
    """The texts with single spaces between their words; None for nothing."""
    return " ".join(clean(" ".join(filter(None, texts))).split()) or None
