"""The figures on a goal's page: what is saved, and when it is reached."""

from finance_api.ledger.session import UserRows
from finance_api.resources.currencies import smallest_units
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS
from finance_api.web.api_results import ApiRequest, ApiResults
from finance_api.web.cells import Cells

_MONTH_DAYS = 30


class GoalDetail:
    """The figures beside a goal's form. row: with its computed fields."""

    template = "object_goal.jinja2"
    requests: tuple[ApiRequest, ...] = ()

    def __init__(self, results: ApiResults, owned: UserRows, row: Row) -> None:
        self.row = row
        self.cells = Cells(owned)
        self._today = results.today
        self._owned = owned

    @property
    def link(self) -> tuple[str, str] | None:
        """The name of the account or label that it is linked to, and the path of its records."""
        for name, rows in (
            ("account", self._owned.accounts.rows),
            ("label", self._owned.labels.rows),
        ):
            row_id = self.row[f"{name}Id"]
            if row_id is not None:
                return str(rows[row_id]["name"]), f"/records?{name}={row_id}"
        return None

    @property
    def left(self) -> int | None:
        """What is left to save; None without a target, or if it is reached."""
        target, current = self.row["targetAmount"], self.row["currentAmount"]
        if target is None or current is None or target <= current:
            return None
        return int(target - current)

    @property
    def per_month(self) -> int | None:
        """What to save in 30 days to reach it in time; None without a date to come."""
        day: int | None = self.row["desiredDate"]
        left = self.left
        if day is None or left is None or day <= self._today:
            return None
        days = (day - self._today) // DAY_SECONDS
        smallest = smallest_units(self.row["currencyCode"])
        # Round up, so that it is enough.
        return -(-left * min(_MONTH_DAYS, days) // (days * smallest)) * smallest
