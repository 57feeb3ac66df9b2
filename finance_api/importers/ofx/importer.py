"""Reads OFX files: all of a file's statements, or the reason why none."""

from collections.abc import Iterator, Mapping
from tempfile import SpooledTemporaryFile
from typing import Any, BinaryIO

import orjson

from finance_api.importers.interface import (
    Answer,
    Entry,
    ImportRefused,
    Remembered,
    Statement,
    nothing_remembered,
)
from finance_api.importers.ofx.element import Element
from finance_api.importers.ofx.encoding import text_of
from finance_api.importers.ofx.investment import Securities, securities_of
from finance_api.importers.ofx.markup import tokens
from finance_api.importers.ofx.statement import (
    corrects_itself,
    entry_of,
    read_transaction,
    statement_elements,
    statements_of,
)
from finance_api.importers.ofx.transaction import Movement
from finance_api.importers.ofx.tree import Tree
from finance_api.importers.texts import quoted
from finance_api.resources.currencies import CURRENCIES

#: How much of the waiting transactions is in memory.
_SPOOLED_BYTES = 1 << 20


class OfxImporter:
    """Reads OFX, QFX and QBO.

    currency: of accounts whose statement does not say one (CURDEF), as an ISO 4217 code.
    positive: "in" or "out": what a positive amount means, whatever the types say; None: the signs
    count, if the types do not contradict them.
    """

    source = "ofx"

    @classmethod
    def of(cls, stream: BinaryIO, given: Mapping[str, Any], profiles: str) -> "OfxImporter":
        return cls(given.get("currency"), given.get("positive"))

    def __init__(self, currency: str | None = None, positive: str | None = None) -> None:
        self._currency = currency
        self._positive = positive

    def read(
        self, stream: BinaryIO, remembered: Remembered = nothing_remembered
    ) -> Iterator[tuple[Statement, Entry | None]]:
        """As `StatementImporter`. Several statements of one account stay several.

        Nothing is given out before the file has been read to its end: what a transaction means
        (its account's currency, the name of its security) may stand behind it.
        """
        if self._currency is not None and self._currency not in CURRENCIES:
            raise ImportRefused(f"{self._currency!r} is not an ISO 4217 currency code")
        tree = Tree()
        holders: dict[Element, int] = {}
        with SpooledTemporaryFile(_SPOOLED_BYTES) as spool:
            for holder, transaction in tree.transactions(tokens(text_of(stream))):
                found = read_transaction(transaction)
                if found is not None:
                    number = holders.setdefault(holder, len(holders))
                    row = (number, found if isinstance(found, str) else list(found))
                    spool.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
            elements = list(statement_elements(tree.root))
            if not elements:
                raise _without_statement(tree.root)
            statements = statements_of(elements, self._currency)
            owners = {
                holders[part]: number
                for number, element in enumerate(elements)
                for part in (element, *element.descendants())
                if part in holders
            }
            spool.seek(0)
            rows = map(orjson.loads, spool)
            securities = securities_of(tree.root)
            yield from _entries(rows, statements, owners, securities, self._positive)


def _entries(
    rows: Iterator[tuple[int, Any]],
    statements: list[Statement],
    owners: dict[int, int],
    securities: Securities,
    positive: str | None,
) -> Iterator[tuple[Statement, Entry | None]]:
    """rows: of each transaction, the number of what held it, and its `Movement` or what else it is.

    owners: that number -> the number of the statement.
    """
    begun = 0
    kinds: list[dict[tuple[str | None, bool], int]] = [{} for _ in statements]
    for holder, found in rows:
        owner = owners.get(holder)
        if owner is None:
            if isinstance(found, str):
                continue
            raise ImportRefused("the transaction stands in no statement", found[0])
        for statement in statements[begun : owner + 1]:
            yield statement, None
        begun = max(begun, owner + 1)
        statement = statements[owner]
        if isinstance(found, str):
            statement.skipped[found] += 1
            continue
        movement = Movement(*found)
        if positive == "out":
            movement = movement._replace(amount=-movement.amount)
        if movement.amount and movement.corrects is None:
            kinds[owner].setdefault((movement.type, movement.amount > 0), movement.line)
        yield statement, entry_of(movement, statement, securities)
        if corrects_itself(movement):
            remark = "transactions that are said to correct themselves are imported as they are"
            if remark not in statement.remarks:
                statement.remarks.append(remark)
    for statement in statements[begun:]:
        yield statement, None
    for of_statement in kinds if positive is None else ():
        _check_signs(of_statement)


def _check_signs(kinds: Mapping[tuple[str | None, bool], int]) -> None:
    """Asks about a statement of which no amount has a minus, not even that of a DEBIT, or of which
    each DEBIT comes in and each CREDIT goes out.

    kinds: TRNTYPE, and whether money comes in by the sign -> the first line.
    """
    debit, credit = kinds.get(("DEBIT", True)), kinds.get(("CREDIT", False))
    agree = {("DEBIT", False), ("CREDIT", True)} & kinds.keys()
    if debit is not None and all(comes_in for _, comes_in in kinds):
        reason, line = "a DEBIT, and no amount of the statement has a minus", debit
    elif debit is not None and credit is not None and not agree:
        reason, line = "a DEBIT with a positive amount, and each CREDIT has a negative one", debit
    else:
        return
    raise ImportRefused(
        f"the transaction is {reason}: say what a positive amount means with --positive",
        line,
        answers=(
            Answer(("--positive", "in"), meaning=f"the amount of line {line} comes in"),
            Answer(("--positive", "out"), meaning=f"the amount of line {line} goes out"),
        ),
    )


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
                f"the file holds no statement: the bank answered with {answer}; download it again",
                status.line,
            )
    if not any(child.name == "OFX" for child in file.children):
        return ImportRefused("the file is not an OFX file: it has no <OFX>")
    return ImportRefused(
        "the file holds no statement: download the transactions of an account, or another format"
    )
