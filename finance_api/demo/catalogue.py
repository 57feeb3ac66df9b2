"""Income and expenses of the demo households: names, shops, prices."""

from decimal import Decimal
from typing import NamedTuple


class Spending(NamedTuple):
    """One kind of payment. low, high: in cents. weight: how often, against the others."""

    category: str
    payees: tuple[str, ...]
    notes: tuple[str | None, ...]
    low: int
    high: int
    weight: int
    payment_type: str


#: One euro in currencies that it has replaced (Council Regulation (EC) No 2866/98).
FIXED_RATES = {
    "ATS": Decimal("13.7603"),
    "DEM": Decimal("1.95583"),
    "FRF": Decimal("6.55957"),
    "ITL": Decimal("1936.27"),
}

#: Group -> category -> the categories below it.
CATEGORIES: dict[str, dict[str, tuple[str, ...]]] = {
    "Food & drinks": {"Groceries": (), "Eating out": ("Cafés", "Restaurants")},
    "Housing": {"Rent": (), "Energy": (), "Internet & phone": ()},
    "Transport": {"Public transport": (), "Fuel": (), "Bicycle": ()},
    "Leisure": {"Books": (), "Cinema": (), "Holidays": (), "Sport": ()},
    "Shopping": {"Clothes": (), "Household": (), "Electronics": ()},
    "Health": {"Pharmacy": (), "Doctor": ()},
    "Income": {"Salary": (), "Refunds": ()},
}

#: What money is spent on; the categories below these come with them.
SPENDING_CATEGORIES = tuple(
    category for group, found in CATEGORIES.items() if group != "Income" for category in found
)

LABELS = ("household", "shared", "tax", "work", "école")

SPENDINGS: tuple[Spending, ...] = (
    Spending(
        "Groceries",
        ("Corner Shop", "Marché Vert", "Bäckerei Groß", "Supermarket 24", "Zöldséges"),
        ("weekly shopping", "fruit and vegetables", None, "bread", "for the weekend"),
        180,
        4_500,
        40,
        "debit_card",
    ),
    Spending(
        "Cafés",
        ("Café Müller", "Kávéház", "Blue Cup"),
        ("with Anna", None, "coffee", "breakfast"),
        250,
        1_800,
        14,
        "mobile_payment",
    ),
    Spending(
        "Restaurants",
        ("Trattoria Da Rosa", "寿司 Sakura", "Zum Straßenwirt"),
        ("dinner", "lunch with the team", None, "birthday of Zoë"),
        1_200,
        8_900,
        10,
        "credit_card",
    ),
    Spending(
        "Public transport", ("City Transit",), ("ticket", "day pass", None), 240, 880, 9, "cash"
    ),
    Spending(
        "Fuel", ("Petrol & Co", "Station Nord"), ("full tank", None), 2_500, 9_800, 4, "debit_card"
    ),
    Spending(
        "Books",
        ("Librairie Page 7", "Buchhandlung Graf"),
        (None, "a gift"),
        790,
        4_500,
        4,
        "web_payment",
    ),
    Spending("Cinema", ("Lumière",), ("two tickets", None), 900, 3_200, 3, "credit_card"),
    Spending(
        "Sport",
        ("Climbing Hall", "City Pool"),
        ("entry", None, "yearly pass"),
        450,
        6_000,
        4,
        "debit_card",
    ),
    Spending(
        "Clothes",
        ("Nordlicht", "Second Life Store"),
        (None, "winter coat", "shoes"),
        990,
        15_900,
        3,
        "credit_card",
    ),
    Spending(
        "Household",
        ("Hardware House", "IKEA"),
        ("shelf", None, "light bulbs"),
        350,
        12_900,
        4,
        "debit_card",
    ),
    Spending(
        "Electronics",
        ("Volt & Watt",),
        ("cable", "headphones", None),
        600,
        89_900,
        1,
        "web_payment",
    ),
    Spending("Pharmacy", ("Apotheke am Markt",), (None, "cold"), 320, 4_800, 3, "cash"),
    Spending("Refunds", ("Marché Vert", "Nordlicht"), ("refund",), -6_000, -500, 1, "credit_card"),
)
