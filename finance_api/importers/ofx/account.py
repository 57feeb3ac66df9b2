"""The account of a statement."""

from finance_api.importers.interface import StatementAccount, joined_key
from finance_api.importers.ofx.element import Element
from finance_api.importers.ofx.values import currency_of, identifier_of

#: ACCTTYPE -> account type, and what a new account is called.
_BANK_TYPES = {
    "CHECKING": ("CurrentAccount", "Checking"),
    "SAVINGS": ("SavingAccount", "Savings"),
    "MONEYMRKT": ("SavingAccount", "Money market"),
    "CD": ("SavingAccount", "Certificate of deposit"),
    "CREDITLINE": ("Overdraft", "Credit line"),
}
_CARD = ("CreditCard", "Credit card")
_INVESTMENT = ("Investment", "Investment")
_OTHER = ("General", "Account")


def account_of(statement: Element, currency: str | None) -> StatementAccount:
    """The account that the statement names; ``currency`` is for one without CURDEF."""
    origin = statement.first("BANKACCTFROM", "CCACCTFROM", "INVACCTFROM")
    # Without its wrapper, the account's number stands somewhere in the statement.
    fields = origin or statement

    def field(name: str) -> str | None:
        return identifier_of(fields.first(name))

    curdef = statement.first("CURDEF")
    number = field("ACCTID")
    institution = [field(name) for name in ("BROKERID", "BANKID", "BRANCHID")]
    account_type, word = _type_of(statement, origin, field("ACCTTYPE"))
    key = joined_key(*(part for part in (*institution, number) if part)) if number else None
    name = f"{word} {number}" if number else word
    return StatementAccount(
        key=key,
        name=None if not number and word == _OTHER[1] else name,
        account_type=account_type,
        currency=currency_of(curdef) if curdef else currency,
        number=number,
    )


def _type_of(statement: Element, origin: Element | None, bank_type: str | None) -> tuple[str, str]:
    """The account type, and the word for it."""
    names = (statement.name, origin.name if origin else "")
    if any(name.startswith("CC") for name in names):
        return _CARD
    if any(name.startswith("INV") for name in names):
        return _INVESTMENT
    return _BANK_TYPES.get((bank_type or "").upper(), _OTHER)
