"""Income and expenses of the demo households: names, shops, prices."""

import re
from decimal import Decimal
from typing import NamedTuple


class Spending(NamedTuple):
    """One kind of payment. low, high: in cents. weight: how often, relative to other kinds."""

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

#: Categories that money is spent on, and with them the categories below.
SPENDING_CATEGORIES = tuple(
    category for group, found in CATEGORIES.items() if group != "Income" for category in found
)

LABELS = ("household", "shared", "tax", "work", "école")

#: On each line: category, cents, weight, payment type; then payees and notes. - means no note.
_SPENDINGS = """
Groceries         180..4500   40  debit_card
    Corner Shop, Marché Vert, Bäckerei Groß, Supermarket 24, Zöldséges
    weekly shopping, fruit and vegetables, -, bread, for the weekend
Cafés             250..1800   14  mobile_payment
    Café Müller, Kávéház, Blue Cup
    with Anna, -, coffee, breakfast
Restaurants       1200..8900  10  credit_card
    Trattoria Da Rosa, 寿司 Sakura, Zum Straßenwirt
    dinner, lunch with the team, -, birthday of Zoë
Public transport  240..880     9  cash
    City Transit
    ticket, day pass, -
Fuel              2500..9800   4  debit_card
    Petrol & Co, Station Nord
    full tank, -
Books             790..4500    4  web_payment
    Librairie Page 7, Buchhandlung Graf
    -, a gift
Cinema            900..3200    3  credit_card
    Lumière
    two tickets, -
Sport             450..6000    4  debit_card
    Climbing Hall, City Pool
    entry, -, yearly pass
Clothes           990..15900   3  credit_card
    Nordlicht, Second Life Store
    -, winter coat, shoes
Household         350..12900   4  debit_card
    Hardware House, IKEA
    shelf, -, light bulbs
Electronics       600..89900   1  web_payment
    Volt & Watt
    cable, headphones, -
Pharmacy          320..4800    3  cash
    Apotheke am Markt
    -, cold
Refunds           -6000..-500  1  credit_card
    Marché Vert, Nordlicht
    refund
"""


def _spendings() -> tuple[Spending, ...]:
    lines = iter(_SPENDINGS.strip().splitlines())
    made = []
    for first, payees, notes in zip(lines, lines, lines, strict=True):
        category, cents, weight, payment_type = re.split("  +", first)
        low, high = map(int, cents.split(".."))
        names = tuple(payees.strip().split(", "))
        texts = tuple(None if note == "-" else note for note in notes.strip().split(", "))
        made.append(Spending(category, names, texts, low, high, int(weight), payment_type))
    return tuple(made)


SPENDINGS = _spendings()
