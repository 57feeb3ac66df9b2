"""Demo data: the same for the same seed and day, and shaped like a household's."""

from finance_api.demo.household import Household

__all__ = ["Household"]
