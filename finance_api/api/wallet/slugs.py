"""Names as parts of Wallet's ids."""

import re


def slug(text: str) -> str:
    """``Food & drinks`` -> ``food_and_drinks``"""
    return re.sub(r"[\W_]+", "_", text.lower().replace("&", " and ")).strip("_")
