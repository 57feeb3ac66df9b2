"""The words of the data: categories, payees, notes."""

from typing import NamedTuple

#: A word in the notes of every 50th record, and nowhere else.
COMMON_WORD = "invoice"
COMMON_EVERY = 50
#: A word in the notes of every 3,333rd record, and nowhere else.
RARE_WORD = "zeppelin"
RARE_EVERY = 3_333


class Account(NamedTuple):
    name: str
    account_type: str
    currency: str


class Spending(NamedTuple):
    """low, high: limits of the amount, in cents; negative amounts are income."""

    category: str
    payees: tuple[str, ...]
    low: int
    high: int
    payment_type: str


ACCOUNTS = (
    Account("Current account", "CurrentAccount", "EUR"),
    Account("Savings", "SavingAccount", "EUR"),
    Account("Credit card", "CreditCard", "EUR"),
    Account("Cash", "Cash", "EUR"),
    Account("Travel account", "General", "CHF"),
)

#: Group -> names.
CATEGORIES = {
    "Food & drinks": ("Groceries", "Restaurants", "Cafés", "Bakery", "Delivery"),
    "Housing": ("Rent", "Energy", "Water", "Internet & phone", "Repairs", "Furniture"),
    "Transport": ("Public transport", "Fuel", "Bicycle", "Taxi", "Parking", "Car service"),
    "Leisure": ("Books", "Cinema", "Holidays", "Sport", "Music", "Games"),
    "Shopping": ("Clothes", "Household", "Electronics", "Gifts", "Garden"),
    "Health": ("Pharmacy", "Doctor", "Dentist"),
    "Income": ("Salary", "Refunds", "Interest", "Selling"),
    "Finance": ("Insurance", "Taxes"),
}

LABELS = (
    "household", "shared", "tax", "work", "école",
    "holiday 2024", "urgent", "subscription", "cash only", "children",
)  # fmt: skip

SPENDINGS = (
    Spending(
        "Groceries", ("Corner Shop", "Marché Vert", "Bäckerei Groß"), 180, 9_500, "debit_card"
    ),
    Spending("Groceries", ("Supermarket 24", "Zöldséges", "Farm Stall"), 90, 7_000, "cash"),
    Spending("Restaurants", ("Trattoria Rosa", "寿司 Sakura"), 1_200, 8_900, "credit_card"),
    Spending("Cafés", ("Café Müller", "Kávéház", "Blue Cup"), 250, 1_800, "mobile_payment"),
    Spending("Bakery", ("Bakery Novák", "Pane e Vino"), 120, 1_500, "cash"),
    Spending("Delivery", ("Quick Wheels", "Pizza Express"), 1_100, 5_200, "web_payment"),
    Spending("Energy", ("City Power", "Gas & Heat"), 3_500, 19_000, "transfer"),
    Spending("Internet & phone", ("Telco One", "Fibre Home"), 1_500, 6_900, "transfer"),
    Spending("Public transport", ("City Transit", "Rail Pass"), 240, 9_900, "mobile_payment"),
    Spending("Fuel", ("Petrol & Co", "Station Nord"), 2_500, 9_800, "debit_card"),
    Spending("Books", ("Librairie Page 7", "Buchhandlung Graf"), 790, 4_500, "web_payment"),
    Spending("Sport", ("Climbing Hall", "City Pool"), 450, 6_000, "debit_card"),
    Spending("Clothes", ("Nordlicht", "Second Life Store"), 990, 15_900, "credit_card"),
    Spending("Household", ("Hardware House", "Bright Lamps"), 350, 12_900, "debit_card"),
    Spending("Pharmacy", ("Apotheke am Markt", "Health Point"), 320, 4_800, "cash"),
    Spending("Salary", ("Employer Ltd", "Freelance Work"), -480_000, -90_000, "transfer"),
)

#: A note has one text of each list, with spaces between them: 30 to 60 characters.
OPENINGS = (
    "weekly shopping", "small things", "paid half of it", "birthday present", "lunch break",
    "dinner together", "on the way home", "ordered online", "second attempt", "monthly bill",
    "shared with Zoë", "for the neighbours", "replacement part", "booked early", "last minute",
    "school trip", "weekend visit", "quick errand", "spare parts", "long overdue",
)  # fmt: skip
SUBJECTS = (
    "for the kitchen", "with the whole team", "near the station", "at the old market",
    "from the new shop", "because of the rain", "before the holidays", "after the concert",
    "on a Sunday", "in the city centre", "for Anna and Jörg", "by the lake", "with a voucher",
    "during the fair", "at half price", "for the garden", "without a receipt", "at the airport",
    "for the office", "behind the theatre", "with grandmother", "for the children's room",
)  # fmt: skip
CLOSINGS = (
    "and coffee", "as agreed", "to be refunded", "paid cash", "again", "two pieces", "no discount",
    "split in three", "as a surprise", "for now", "next time less", "worth it", "in advance",
    "with delivery", "see photo", "ask Tomáš", "once more",
)  # fmt: skip
