"""Values of fields as the pages show them."""

from markupsafe import Markup

from finance_api.ledger.edits.report import shown
from finance_api.ledger.session import UserRows
from finance_api.resources.field import Field, Kind
from finance_api.values import Row
from finance_api.values.colors import color_words, full_hex
from finance_api.values.number import DECIMALS, decimal_text
from finance_api.values.regions import Region
from finance_api.web.forms import choice_label
from finance_api.web.rendering import amount, day, moment
from finance_api.web.repeats import rule_words

NONE = Markup('<span class="muted">–</span>')
_PERCENT = 100
#: 1 in ten-thousandths.
WHOLE = 10**DECIMALS


def money(units: int, currency: str | None, region: Region) -> Markup:
    """Return ``1,234.50 EUR``, kept on one line."""
    return Markup('<span class="money">{} <span class="currency">{}</span></span>').format(
        amount(units, region, currency), currency or ""
    )


def title_of(row: Row) -> str:
    return str(row["name"] or "Without name")


class Cells:
    """Makes cells from a user's rows, with names in place of the ids of other objects."""

    def __init__(self, owned: UserRows, region: Region) -> None:
        self._owned = owned
        self._region = region

    @staticmethod
    def css(field: Field) -> str:
        if field.references or field.kind is Kind.TEXT_LIST:
            # Names may be long.
            return "what"
        return "number" if field.kind is Kind.NUMBER else ""

    def currency(self, field: Field, row: Row) -> str | None:
        """Return the currency of an amount: the row's own, or else that of its account."""
        account = self._owned.accounts.rows.get(row.get("accountId") or "", {})
        return row.get(field.currency_name) or account.get("currencyCode")

    def cell(self, field: Field, row: Row) -> Markup | str:
        value = row[field.name]
        if value is None or value == ():
            return NONE
        match field.kind:
            case Kind.NUMBER:
                return _number(field, value, row, self.currency(field, row), self._region)
            case Kind.DATE:
                return day(value, self._region)
            case Kind.DATETIME:
                return moment(value, self._region, self._owned.user.time_zone)
            case Kind.BOOLEAN:
                return "Yes" if value else "No"
            case Kind.CHOICE:
                return choice_label(value)
            case Kind.TEXT_LIST | Kind.LIMIT_LIST:
                return ", ".join(value)
        if field.name == "color" and full_hex(value):
            return _swatch(value)
        if field.name == "recurrenceRule":
            return rule_words(value, self._region)
        return str(shown(self._owned, field, value))


def _number(
    field: Field, value: int, row: Row, currency: str | None, region: Region
) -> Markup | str:
    if field.decimals != DECIMALS:
        return region.count(value)
    if field.name == "progress":
        if "periodLimit" in row:
            return limit_progress(value, row, region)
        return _bar(value, region, "reached" if value >= WHOLE else "")
    found = money(value, currency, region)
    if field.name == "unexplained":
        if value:
            return Markup('<strong class="warning">{}</strong>').format(found)
        # The bank's balances may not have been compared: only the account's page says that.
        return NONE
    return found


def limit_progress(value: int, budget: Row, region: Region) -> Markup:
    """Draw how much of its limit a budget has used. value: the share, in ten-thousandths."""
    if budget["remaining"] < 0:
        over = amount(-budget["remaining"], region, budget["currencyCode"])
        return Markup('<strong class="warning">over by {}</strong>').format(over)
    return _bar(value, region)


def percent(value: int, region: Region) -> str:
    """Return ``12.5%``. value: the share, in ten-thousandths."""
    return f"{region.decimal(decimal_text(value * _PERCENT))}%"


def _bar(value: int, region: Region, words: str = "") -> Markup:
    """Draw a share, in ten-thousandths, beside words or the whole percent that are reached."""
    # Refunds may exceed what was spent.
    size = min(max(value, 0), WHOLE)
    text = words or percent(max(value, 0) // _PERCENT * _PERCENT, region)
    bar = Markup('<meter min="0" max="{}" value="{}" aria-label="{}"></meter>')
    return Markup('<span class="progress">{} <span class="number">{}</span></span>').format(
        bar.format(WHOLE, size, text), text
    )


def _swatch(color: str) -> Markup:
    return Markup(
        '<svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">'
        '<circle cx="5" cy="5" r="5" fill="{}"/></svg> {}'
    ).format(color, color_words(color))
