"""The pages of accounts, categories and the like, one declaration each; and the navigation."""

from dataclasses import dataclass

from finance_api import resources
from finance_api.resources.field import Resource


@dataclass(frozen=True, kw_only=True)
class ObjectPage:
    """The list of a resource, and the forms for its objects.

    name: the name of the page and of its routes.
    columns: the fields of the list besides the name, in order.
    lead: the text below the title. none: the text for an empty list.
    filter: the parameter of the records page that shows an object's records, if any.
    date: the computed date by which the list is sorted, unless it is sorted by name.
    rare: fields that the form folds away while they are empty.
    needed: the fields that the form requires, in its order.
    """

    name: str
    resource: Resource
    columns: tuple[str, ...]
    lead: str
    none: str
    sort: str = "+name"
    date: str | None = None
    filter: str | None = None
    rare: frozenset[str] = frozenset()
    needed: tuple[str, ...] = ("name",)

    @property
    def path(self) -> str:
        return f"/{self.name}"

    @property
    def word(self) -> str:
        """The word for one object."""
        return self.resource.word.removeprefix("record ")

    @property
    def title(self) -> str:
        return self.name.replace("-", " ").capitalize()


OBJECT_PAGES = {
    page.name: page
    for page in (
        ObjectPage(
            name="accounts",
            resource=resources.ACCOUNTS,
            sort="+archived,+name",
            columns=("recordCount", "lastRecordDate", "bankBalance", "unexplained", "balance"),
            lead="Where your money is. Importing a statement of a new account adds the account.",
            none="Import a file to add its account, or add one manually.",
            rare=frozenset({"bankAccountNumber", "color", "archived", "excludeFromStats"}),
            filter="account",
        ),
        ObjectPage(
            name="categories",
            resource=resources.CATEGORIES,
            sort="+archived,+name",
            columns=("group", "kind"),
            lead="What you spend money on, and where it comes from.",
            none="Rules and budgets need categories, such as Groceries and Salary.",
            rare=frozenset({"color", "archived", "customCategory"}),
            filter="category",
        ),
        ObjectPage(
            name="labels",
            resource=resources.LABELS,
            sort="+archived,+name",
            columns=("color",),
            lead="Tags for records, beside their category. A record can have several.",
            none="A label marks records across categories, such as a holiday.",
            filter="label",
        ),
        ObjectPage(
            name="budgets",
            resource=resources.BUDGETS,
            sort="+closed,+name",
            columns=("type", "periodEnd", "periodLimit", "spent", "progress", "remaining"),
            lead="How much you may spend in a period, and how much you have spent.",
            none="A budget limits what you spend on some categories in a week, month or year.",
            rare=frozenset({"accountIds", "labelIds", "startDate", "endDate", "closed"}),
        ),
        ObjectPage(
            name="goals",
            resource=resources.GOALS,
            columns=tuple(
                "state desiredDate expectedDate currentAmount targetAmount progress".split()
            ),
            lead="What you are saving for.",
            none="A goal has an amount to save, and a date if you like.",
            rare=frozenset({"note", "color", "state"}),
            needed=("name", "targetAmount"),
        ),
        ObjectPage(
            name="standing-orders",
            resource=resources.STANDING_ORDERS,
            date="nextDueDate",
            columns=("recurrenceRule", "nextDueDate", "accountId", "categoryId", "amount"),
            lead="Repeating payments, such as rent and subscriptions.",
            none="They let the overview show what is due in the next 30 days.",
            rare=frozenset("currencyCode note paymentType labelIds manualPayment".split()),
            needed=("name", "accountId", "startDate"),
        ),
        ObjectPage(
            name="rules",
            resource=resources.RECORD_RULES,
            sort="+createdAt",
            columns=("keywords", "payee", "categoryId", "labelIds", "accountId"),
            lead="New records with one of a rule's keywords in payee or note get its category, "
            "labels and payee. The first matching rule applies.",
            none="A rule categorises records by words in their payee or note, and can rename "
            "the payee.",
            rare=frozenset({"wholePayee"}),
            needed=("keywords",),
        ),
    )
}


def _objects(*names: str) -> tuple[tuple[str, str, str], ...]:
    pages = [OBJECT_PAGES[name] for name in names]
    return tuple((page.name, page.path, page.title) for page in pages)


#: Groups, each with its title and its pages. A page is (name, path, label).
NAVIGATION = (
    (
        "View",
        (
            ("overview", "/overview", "Overview"),
            ("records", "/records", "Records"),
            ("questions", "/questions", "Questions"),
            *_objects("accounts", "budgets", "goals", "standing-orders"),
        ),
    ),
    (
        "Organise",
        (
            *_objects("categories", "labels", "rules"),
            ("transfers", "/transfers", "Transfers"),
            ("duplicates", "/duplicates", "Duplicates"),
        ),
    ),
    ("Add data", (("import", "/import", "Import"), ("imports", "/imports", "History"))),
    (
        "Settings",
        (
            ("tokens", "/settings/tokens", "API tokens"),
            ("profile", "/settings/profile", "Profile"),
            ("security", "/settings/security", "Security"),
        ),
    ),
    ("Advanced", (("usage", "/settings/usage", "Usage"), ("jwts", "/settings/jwts", "JWTs"))),
)

#: What the bar of a phone has beside the menu.
MENU_BAR = (
    ("overview", "/overview", "Overview"),
    ("records", "/records", "Records"),
    ("record-new", "/records/new", "Add"),
    ("import", "/import", "Import"),
)
