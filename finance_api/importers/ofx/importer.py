"""Reads OFX files: all of a file's statements, or the reason why none."""

from typing import BinaryIO

from finance_api.importers.interface import (
    ImportRefused,
    KnownAccounts,
    Statement,
    no_accounts,
)
from finance_api.importers.ofx.element import Element, quoted
from finance_api.importers.ofx.encoding import decode
from finance_api.importers.ofx.identity import Identities
from finance_api.importers.ofx.investment import securities_of
from finance_api.importers.ofx.statement import statement_elements, statement_of
from finance_api.importers.ofx.tree import parse_tree
from finance_api.resources.currencies import CURRENCIES


class OfxImporter:
    """Reads OFX, QFX and QBO.

    currency: of accounts whose statement does not say one (CURDEF), as an ISO 4217 code.
    """

    source = "ofx"

    def __init__(self, currency: str | None = None) -> None:
        self._currency = currency

    def read(
        self, stream: BinaryIO, known_accounts: KnownAccounts = no_accounts
    ) -> list[Statement]:
        """The statements in the order of the file, or ImportRefused.

        Several statements of one account stay several; their source ids never collide.
        """
        if self._currency is not None and self._currency not in CURRENCIES:
            raise ImportRefused(f"{self._currency!r} is not an ISO 4217 currency code")
        file = parse_tree(decode(stream.read()))
        elements = list(statement_elements(file))
        if not elements:
            raise _without_statement(file)
        securities, identities = securities_of(file), Identities()
        statements = [
            statement_of(element, self._currency, securities, identities) for element in elements
        ]
        _check_accounts(elements, statements)
        return statements


def _without_statement(file: Element) -> ImportRefused:
    """Why a file has no statement."""
    for status in file.descendants():
        severity = status.child("SEVERITY") if status.name == "STATUS" else None
        if severity and severity.text.upper() == "ERROR":
            code, message = status.child("CODE"), status.child("MESSAGE")
            answer = f"error {code.text[:20]}" if code else "an error"
            if message:
                answer += f": {quoted(message.text)}"
            return ImportRefused(
                f"the file holds no statement; the bank answered with {answer}", status.line
            )
    if not file.first("OFX") and not any(child.name == "OFX" for child in file.children):
        return ImportRefused("the file is not an OFX file: it has no <OFX>")
    return ImportRefused("the file holds no statement")


def _check_accounts(elements: list[Element], statements: list[Statement]) -> None:
    """Refuses accounts of different kinds under one number; their entries would be mixed.

    Some banks give a member one number for all accounts and tell them apart by ACCTTYPE only.
    """
    names: dict[str, str | None] = {}
    for element, statement in zip(elements, statements, strict=True):
        account = statement.account
        # The name begins with the bank's kind of account and ends with its number.
        if account.key and names.setdefault(account.key, account.name) != account.name:
            raise element.refused(
                f"is about {quoted(account.name or '')}, and the file has "
                f"{quoted(names[account.key] or '')} under the same number"
            )
