"""The account of a statement."""

from finance_api.importers.camt.element import Element
from finance_api.importers.interface import StatementAccount, joined_key
from finance_api.resources.currencies import CURRENCIES
from finance_api.values.iban import compact, is_iban

#: Where a number stands: an IBAN, or what the versions have for others.
NUMBERS = ("Id/IBAN", "Id/Othr/Id", "Id/PrtryAcct/Id", "Id/BBAN", "Id/UPIC")
_SERVICERS = ("BIC", "BICFI", "ClrSysMmbId/MmbId", "Othr/Id")

#: Tp/Cd -> account type, and what a new account is called.
_TYPES = {
    "CACC": ("CurrentAccount", "Checking"),
    "TRAN": ("CurrentAccount", "Checking"),
    "SVGS": ("SavingAccount", "Savings"),
    "LLSV": ("SavingAccount", "Savings"),
    "LOAN": ("Loan", "Loan"),
    "CARD": ("CreditCard", "Credit card"),
}


def account_of(statement: Element, currency: str | None) -> StatementAccount:
    """The account that the statement names; ``currency`` is for one without Ccy."""
    number = number_of(statement, "Acct")
    account_type, word = _TYPES.get(statement.text_of("Acct/Tp/Cd") or "", ("General", "Account"))
    told = statement.first("Acct/Ccy")
    if told is not None and told.text not in CURRENCIES:
        raise told.refused("is not an ISO 4217 currency code")
    currency = told.text if told is not None else currency
    if number is None:
        return StatementAccount(None, None, account_type, currency)
    word = statement.text_of("Acct/Nm") or word
    bank = None
    if not is_iban(number):
        # It is the bank's own.
        bank = statement.text_of(*(f"Acct/Svcr/FinInstnId/{name}" for name in _SERVICERS))
    return StatementAccount(
        key=joined_key(*filter(None, (bank, number, currency))),
        name=f"{word} {number}",
        account_type=account_type,
        currency=currency,
        number=number,
    )


def number_of(element: Element, account: str) -> str | None:
    """The number of the account that stands at the path."""
    number = element.text_of(*(f"{account}/{path}" for path in NUMBERS))
    return None if number is None else compact(number)
