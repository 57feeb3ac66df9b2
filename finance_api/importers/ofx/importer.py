"""Reads OFX, QFX and QBO files: the statements, their accounts, and their entries."""

import re
from collections import ChainMap, Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from tempfile import SpooledTemporaryFile
from typing import Any, BinaryIO, NamedTuple

import orjson

from finance_api.importers.cards import CardSigns
from finance_api.importers.clauses import Day, Says, Topic, Units, clause
from finance_api.importers.csv.vocabulary import TOTAL, kind_of, states_balance
from finance_api.importers.interface import (
    UNKNOWN,
    BankBalance,
    Choice,
    Correction,
    Entries,
    Entry,
    ImportRefused,
    Questions,
    Remembered,
    Statement,
    StatementAccount,
    excluding,
    joined_key,
    nothing_remembered,
    quoted,
)
from finance_api.importers.ofx.markup import text_of, tokens
from finance_api.importers.ofx.tree import (
    STATEMENTS,
    Element,
    Tree,
    amount_of,
    currency_of,
    date_of,
    date_or_none_of,
    identifier_of,
    moment_of,
    name_of,
    note_of,
)
from finance_api.values.text import amount_text

#: Up to this many bytes of the parsed transactions stay in memory; more go to a temporary file.
_SPOOLED_BYTES = 1 << 20
#: Only statements contain these lists directly: an element with such a child is a statement,
#: whatever its tag.
_LISTS = frozenset({"BANKTRANLIST", "INVTRANLIST"})
#: Balances; only that of the ledger is used.
_BALANCES = frozenset({"LEDGERBAL", "AVAILBAL", "AVAILCASH", "BAL"})
#: ACCTTYPE, "card" or "investment" -> account type, and the first words of a new account's name.
_ACCOUNT_TYPES = {
    "CHECKING": ("CurrentAccount", "Checking"),
    "SAVINGS": ("SavingAccount", "Savings"),
    "MONEYMRKT": ("SavingAccount", "Money market"),
    "CD": ("SavingAccount", "Certificate of deposit"),
    "CREDITLINE": ("Overdraft", "Credit line"),
    "card": ("CreditCard", "Credit card"),
    "investment": ("Investment", "Investment"),
}
#: TRNTYPE -> payment type, where it is certain. CREDIT, DEBIT, CHECK and the like are not.
_PAYMENT_TYPES = {
    "ATM": "cash",
    "CASH": "cash",
    "POS": "debit_card",
    "XFER": "transfer",
    "DIRECTDEBIT": "transfer",
    "DIRECTDEP": "transfer",
}
#: TRNTYPEs whose money always goes out, and those whose money always comes in.
_OUT = frozenset("DEBIT FEE SRVCHG POS CHECK PAYMENT CASH DIRECTDEBIT REPEATPMT".split())
_IN = frozenset("CREDIT DEP DIRECTDEP DIV".split())
#: TRNTYPE, and whether the amount is positive -> the line of the first such transaction.
_Signs = dict[tuple[str, bool], int]
#: What a missing TRNTYPE is called, and the highest number of types to ask about.
_NONE, _MOST_TYPES = "NONE", 3
#: Text that banks write in place of a missing id or number.
_PLACEHOLDER = re.compile("0+")
#: Elements that only transactions have.
_TRANSACTION_PARTS = frozenset({"TRNAMT", "INVTRAN"})
_CASHLESS = {
    "CLOSUREOPT": "closed option",
    # Moves money from one subaccount of the account to another.
    "JRNLFUND": "transfer between subaccounts",
    "JRNLSEC": "transfer of securities",
    # Income and a purchase with all of this income, in one transaction.
    "REINVEST": "reinvestment",
    "SPLIT": "stock split",
    "TRANSFER": "transfer of securities",
}
_HOLDINGS = {"INVPOSLIST": "position", "INVOOLIST": "open order"}


class Movement(NamedTuple):
    """A transaction as it is kept until the whole file is read: JSON can store every value.

    bank_id, payee and so on: as in `Entry`. type: TRNTYPE.
    security: the unique id of the transaction's security.
    currency: the tag, text and line of the element that states the amount's currency.
    corrects: CORRECTFITID, and whether that transaction is deleted.
    """

    line: int
    date: int
    amount: int
    bank_id: str | None
    payee: str | None
    note: str | None
    value_date: int | None
    type: str | None = None
    reference: str | None = None
    counterparty_account: str | None = None
    security: str | None = None
    currency: tuple[str, str, int] | None = None
    corrects: tuple[str, bool] | None = None

    def states(self, balance: int) -> bool:
        """Return whether it only states this balance, under a name such as "Saldo"."""
        texts = (self.payee or "", self.note or "")
        return self.amount == balance and any(kind_of(text) == TOTAL for text in texts)


class _Ways(NamedTuple):
    """The TRNTYPEs whose money always goes out, and those whose money always comes in.

    said: those that the user named.
    """

    out: frozenset[str] = _OUT
    into: frozenset[str] = _IN
    said: frozenset[str] = frozenset()

    @classmethod
    def of(cls, sign: str | None) -> "_Ways":
        if sign is None:
            return cls()
        name, _, words = sign.upper().partition("=")
        out, _, into = (frozenset(text.split(",")) - {""} for text in words.partition("|"))
        if name != "TRNTYPE" or not out | into:
            raise ImportRefused(clause(Topic.SIGN_OF_TYPES))
        return cls(_OUT - into | out, _IN - out | into, out | into)

    def choices(self, types: Sequence[str]) -> Iterator[Choice]:
        """Yield a choice for each way in which the money of these types can go."""
        for ways in product((Says.TYPE_OUT, Says.TYPE_IN), repeat=len(types)):
            pairs = list(zip(types, ways, strict=True))
            into = self.said & self.into | {each for each, way in pairs if way is Says.TYPE_IN}
            out = self.said.union(types) - into
            sign = f"TRNTYPE={','.join(sorted(out))}|{','.join(sorted(into))}".rstrip("|")
            meaning = tuple(clause(way, type=each) for each, way in pairs)
            yield Choice({"sign": sign}, clause(Says.TYPES, types=meaning))


class OfxImporter:
    """Reads OFX, QFX and QBO.

    given: the options by name. currency: for accounts whose statement has no CURDEF. positive: what
    a positive amount means, whatever TRNTYPE says; without it, positive means money in, except
    where TRNTYPE is the sign; a statement whose TRNTYPEs contradict its signs is refused with a
    question. sign: ``TRNTYPE=OUT,…[|IN,…]``: further types whose money always goes out or comes in.
    card_balance: see `Statement`.
    """

    source = "ofx"

    @classmethod
    def of(cls, stream: BinaryIO, given: Mapping[str, Any], profiles: str) -> "OfxImporter":
        return cls(given)

    def __init__(self, given: Mapping[str, Any] | None = None) -> None:
        given = given or {}
        self._currency, self._positive = given.get("currency"), given.get("positive")
        sign = given.get("sign")
        self._ways = _Ways.of(sign)
        if sign is not None and self._positive is not None:
            raise excluding({"sign": None}, {"positive": None})
        self._card_balance = given.get("card_balance") or UNKNOWN

    def read(self, stream: BinaryIO, remembered: Remembered = nothing_remembered) -> Entries:
        """Read as `StatementImporter` describes. Several statements of one account are not joined.

        Reads the file to its end before yielding anything: the currency of a transaction's account
        or the name of its security may come after the transaction.
        """
        tree = Tree()
        # Numbers for the elements that contain transactions; elements cannot go into the spool.
        holders: dict[Element, int] = {}
        signs: defaultdict[int, _Signs] = defaultdict(dict)
        cards: defaultdict[int, CardSigns] = defaultdict(CardSigns)
        with SpooledTemporaryFile(_SPOOLED_BYTES) as spool:
            for holder, transaction in tree.transactions(tokens(text_of(stream))):
                found = read_transaction(transaction)
                if found is not None:
                    number = holders.setdefault(holder, len(holders))
                    row = (number, found if isinstance(found, str) else list(found))
                    if not isinstance(found, str) and found.amount and found.corrects is None:
                        place = found.type or _NONE, found.amount > 0
                        signs[number].setdefault(place, found.line)
                        texts = (found.payee or "", found.note or "", found.type or "")
                        cards[number].add(found.line, texts, has_minus=found.amount < 0)
                    spool.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
            elements = list(_statement_elements(tree.root))
            if not elements:
                raise _without_statement(tree.root)
            statements = _statements_of(elements, self._currency)
            owners: dict[int, int] = {}
            by_type: set[int] = set()
            questions = Questions()
            for number, (element, statement) in enumerate(zip(elements, statements, strict=True)):
                parts = (element, *element.descendants())
                own = [holders[part] for part in parts if part in holders]
                owners |= dict.fromkeys(own, number)
                is_card = statement.account.account_type == "CreditCard"
                if is_card:
                    statement.card_balance = self._card_balance
                if self._positive is not None:
                    continue
                if _has_types_as_signs(dict(ChainMap(*(signs[each] for each in own))), self._ways):
                    by_type.add(number)
                elif is_card:
                    for each in own:
                        cards[each].ask(questions)
            questions.put()
            spool.seek(0)
            rows = ((owners.get(holder), found) for holder, found in map(orjson.loads, spool))
            yield from self._entries(rows, statements, securities_of(tree.root), by_type)

    def _entries(
        self,
        rows: Iterator[tuple[int | None, Any]],
        statements: list[Statement],
        securities: Mapping[str, str],
        by_type: Collection[int],
    ) -> Entries:
        """Yield each statement, then its entries.

        rows: for each transaction, the index of its statement (None if it is not in a statement),
        and its `Movement` or why it is skipped. by_type: the indexes of statements whose TRNTYPEs
        are the signs.
        """
        begun = 0
        for owner, found in rows:
            if owner is None:
                if isinstance(found, str):
                    continue
                raise ImportRefused("the transaction is not inside a statement", found[0])
            for statement in statements[begun : owner + 1]:
                yield statement, None
            begun = max(begun, owner + 1)
            statement = statements[owner]
            if isinstance(found, str):
                statement.skipped[found] += 1
                continue
            movement = Movement(*found)
            if statement.closing and movement.states(statement.closing.amount):
                statement.skipped["balance"] += 1
                continue
            if self._positive == "out" or (
                owner in by_type and (movement.type or _NONE) in self._ways.out
            ):
                movement = movement._replace(amount=-movement.amount)
            yield statement, _entry_of(movement, statement, securities)
        for statement in statements[begun:]:
            yield statement, None


def _statement_elements(file: Element) -> Iterator[Element]:
    """Yield the elements that are statements, wherever they are in the file."""
    pending = [file]
    while pending:
        element = pending.pop()
        if element.name in STATEMENTS:
            yield element
        elif element.had_transactions or any(c.name in _LISTS for c in element.children):
            for inner in element.descendants():
                if inner.name in STATEMENTS:
                    raise inner.refused(
                        "appears next to transactions that are not inside a statement"
                    )
            yield element
        else:
            pending.extend(reversed(element.children))


def _statements_of(elements: list[Element], currency: str | None) -> list[Statement]:
    """Return the statements in these elements; ``currency`` is for statements without CURDEF.

    Raises ImportRefused for accounts of different kinds under one number: some banks tell a
    member's accounts apart by ACCTTYPE only, and the entries of these accounts would be mixed.
    """
    statements = []
    names: dict[str, str | None] = {}
    for element in elements:
        account = _account_of(element, currency)
        statement = Statement(account)
        check_parts(element)
        _add_facts(element, statement)
        count_holdings(element, statement.skipped)
        # Names begin with the kind of account: two names under one key mean two kinds.
        if account.key and names.setdefault(account.key, account.name) != account.name:
            raise element.refused(
                f"names the account {quoted(account.name or '')}, but elsewhere the file has the "
                f"same number for {quoted(names[account.key] or '')}"
            )
        statements.append(statement)
    return statements


def _account_of(statement: Element, currency: str | None) -> StatementAccount:
    origin = statement.first("BANKACCTFROM", "CCACCTFROM", "INVACCTFROM")

    def field(name: str) -> str | None:
        # If the file lacks the BANKACCTFROM (or similar), look in the whole statement.
        return identifier_of((origin or statement).first(name))

    number, kind = field("ACCTID"), (field("ACCTTYPE") or "").upper()
    names = (statement.name, origin.name if origin else "")
    if any(name.startswith("CC") for name in names):
        kind = "card"
    elif any(name.startswith("INV") for name in names):
        kind = "investment"
    account_type, word = _ACCOUNT_TYPES.get(kind, ("General", None))
    parts = filter(None, (field("BROKERID"), field("BANKID"), field("BRANCHID"), number))
    curdef = statement.first("CURDEF")
    return StatementAccount(
        key=joined_key(*parts) if number else None,
        name=f"{word or 'Account'} {number}" if number else word,
        account_type=account_type,
        currency=currency_of(curdef) if curdef else currency,
        number=number,
    )


def _add_facts(element: Element, statement: Statement) -> None:
    """Fill in the days that the statement covers, when it was made, and its closing balance."""
    lists = [e for e in element.descendants() if e.name in _LISTS]
    begin = end = None
    # Several lists may leave days between them that no list covers.
    if len(lists) == 1:
        begin, end = lists[0].child("DTSTART"), lists[0].child("DTEND")
        first, last = date_or_none_of(begin), date_or_none_of(end)
        if first is None or last is None or first <= last:
            statement.first_day, statement.last_day = first, last
    invested = statement.account.account_type == "Investment"
    balance = None if invested else _newest_balance(element, statement)
    # An investment statement has a date of its own, and its cash is not its balance.
    made = element.child("DTASOF") if invested else balance and balance.child("DTASOF")
    statement.as_of = moment_of(made)
    if statement.as_of is None:
        statement.as_of = moment_of(end)
    amount = balance.child("BALAMT") if balance else None
    day = date_or_none_of(made)
    if amount and day is not None and not invested:
        statement.closing = BankBalance(amount=amount_of(amount), date=day)
    else:
        statement.name_unused(e.name for e in element.descendants() if e.name in _BALANCES)


def _newest_balance(element: Element, statement: Statement) -> Element | None:
    """Return the statement's LEDGERBAL. If there are several, the one of the newest day counts.

    Raises ImportRefused if two of one day differ.
    """
    found: dict[int, tuple[int, Element]] = {}
    balances = [e for e in element.descendants() if e.name == "LEDGERBAL" and e.child("BALAMT")]
    for balance in balances if len(balances) > 1 else ():
        amount, day = balance.child("BALAMT"), date_or_none_of(balance.child("DTASOF"))
        units = amount_of(amount) if amount else 0
        before, _ = found.setdefault(day or 0, (units, balance))
        if before != units:
            raise ImportRefused(
                f"the statement has two balances of one day, {amount_text(before)} and "
                f"{amount_text(units)}: download it again, or in another format",
                balance.line,
            )
    newest = max(found, default=None)
    for day in sorted(found.keys() - {newest}):
        unused = clause(Says.BALANCE_UNUSED, amount=Units(found[day][0]), day=Day(day))
        statement.remarks.append(unused)
    return element.first("LEDGERBAL") if newest is None else found[newest][1]


def _entry_of(movement: Movement, statement: Statement, securities: Mapping[str, str]) -> Entry:
    """Convert a movement to an entry of the statement's account. Raises ImportRefused."""
    account = statement.account
    if movement.currency:
        tag, text, line = movement.currency
        if text.upper() != account.currency:
            stated = (
                f"the account is in {account.currency}"
                if account.currency
                else "the file does not state the account's currency"
            )
            raise Element(tag, line, text).refused(
                f"is the currency of this transaction, and {stated}"
            )
    correction = Correction(*movement.corrects) if movement.corrects else None
    if correction and correction.bank_id == movement.bank_id:
        correction = None
        statement.remark_once(
            "transactions that claim to correct themselves are imported unchanged"
        )
    security = movement.security
    on_card = movement.type == "POS" and account.account_type == "CreditCard"
    return Entry(
        line=movement.line,
        date=movement.date,
        amount=movement.amount,
        bank_id=movement.bank_id,
        payee=securities.get(security) if security else movement.payee,
        note=movement.note,
        payment_type="credit_card" if on_card else _PAYMENT_TYPES.get(movement.type or ""),
        value_date=movement.value_date,
        counterparty_account=movement.counterparty_account,
        reference=movement.reference,
        fingerprint=security or "",
        correction=correction,
    )


def _has_types_as_signs(signs: _Signs, ways: _Ways) -> bool:
    """Return whether TRNTYPE is the sign: no amount has a minus, but some types mean money out.

    Raises ImportRefused, mostly with a question, if signs and types contradict each other
    otherwise.
    """
    types = {each for each, _ in signs}
    # A payment to a card comes in, and so does a single refund.
    paid = types & ways.out - {"PAYMENT"}
    word = "DEBIT" if "DEBIT" in paid or len(paid) + bool(types & ways.into) < 2 else min(paid)
    line, credit = signs.get((word, True)), signs.get(("CREDIT", False))
    agree = {("DEBIT", False), ("CREDIT", True)} & signs.keys()
    choices = [
        Choice({"positive": positive, "sign": None}, clause(says, line=line or 0))
        for positive, says in (("in", Says.COMES_IN), ("out", Says.GOES_OUT))
    ]
    if line is not None and all(comes_in for _, comes_in in signs):
        unknown = sorted(types - ways.out - ways.into)
        if not unknown and (ways.said or (word == "DEBIT" and types & ways.into)):
            return True
        fact = clause(Topic.TYPE_WITHOUT_SIGN, type=word)
        if unknown:
            line = signs[unknown[0], True]
            if len(unknown) > _MOST_TYPES or not all(map(str.isalnum, unknown)):
                raise ImportRefused(clause(Topic.TYPES_NOT_KNOWN, type=unknown[0]), line)
            fact = clause(Topic.TYPE_NOT_KNOWN, type=unknown[0])
            choices = [*(() if types & ways.into else choices[:1]), *ways.choices(unknown)]
    elif word == "DEBIT" and line is not None and credit is not None and not agree:
        fact = clause(Topic.TYPE_AGAINST_SIGN)
    else:
        return False
    raise ImportRefused(fact, line, tuple(choices))


def _without_statement(file: Element) -> ImportRefused:
    """Return a refusal that says why the file has no statement."""
    for status in file.descendants():
        severity = status.child("SEVERITY") if status.name == "STATUS" else None
        if severity and severity.text.upper() == "ERROR":
            code, words = status.child("CODE"), status.child("MESSAGE")
            answer = f"error {code.text[:20]}" if code else "an error"
            if words:
                answer += f": {quoted(words.text)}"
            return ImportRefused(
                f"the file contains no statement: the bank answered with {answer}; download it "
                f"again",
                status.line,
            )
    if not any(child.name == "OFX" for child in file.children):
        return ImportRefused("the file is not an OFX file: it has no <OFX>")
    return ImportRefused(
        "the file contains no statement: download the transactions of an account, or another format"
    )


def read_transaction(element: Element) -> Movement | str | None:
    """Return the transaction's movement, or why it is skipped.

    Returns None for an INVBANKTRAN, which only wraps another transaction.
    """
    if element.name == "STMTTRN":
        movement = _movement(element)
        texts = (movement.payee or "", movement.note or "")
        return "balance" if any(map(states_balance, texts)) else movement
    if element.name == "STMTTRNP":
        return "pending transaction"
    if element.name == "INVBANKTRAN":
        check_parts(element)
        return None
    return _investment_movement(element)


def check_parts(element: Element) -> None:
    """Refuse parts of a transaction below an element that is not a transaction."""
    for part in element.descendants():
        if part.name in _TRANSACTION_PARTS:
            raise part.refused("is outside of a transaction")


def _movement(element: Element) -> Movement:
    """Return the movement of a STMTTRN.

    The amount keeps its written sign, whatever TRNTYPE says. The original amount stays empty: OFX
    states only the exchange rate (ORIGCURRENCY), so the amount could only be estimated.
    """
    below = element.descendants()
    child = element.by_name().get
    # Some programs write PAYEE with text, although the standard says that it is an aggregate.
    payee = child("NAME") or child("PAYEE")
    if payee and payee.children:
        payee = payee.child("NAME")
    trntype = child("TRNTYPE")
    other_account = child("BANKACCTTO") or child("CCACCTTO")
    bank_id = _id_of(child("FITID"))
    number = note_of(other_account.child("ACCTID")) if other_account else None
    return Movement(
        line=element.line,
        date=date_of(_required(element, below, "DTPOSTED")),
        amount=amount_of(_required(element, below, "TRNAMT")),
        bank_id=bank_id,
        payee=name_of(payee),
        note=note_of(child("MEMO")),
        value_date=date_or_none_of(child("DTAVAIL")),
        type=trntype.text.upper() if trntype else None,
        reference=_id_of(child("CHECKNUM")) or _id_of(child("REFNUM")),
        counterparty_account="".join(number.split()) if number else None,
        currency=_stated_currency(element),
        corrects=_correction_of(bank_id, child("CORRECTFITID"), child("CORRECTACTION")),
    )


def _required(element: Element, below: Sequence[Element], *names: str) -> Element:
    """Return the leaf with the first name that occurs. Raises ImportRefused for none or several."""
    for name in names:
        found = [leaf for leaf in below if leaf.name == name and leaf.text]
        if len(found) > 1:
            raise found[1].refused(
                f"is the second <{name}> of the <{element.name}> of line {element.line}"
            )
        if found:
            return found[0]
    raise element.refused(f"has no <{names[0]}>")


def _id_of(leaf: Element | None) -> str | None:
    """Return the leaf's text; None if it is only a placeholder for a missing id."""
    identifier = identifier_of(leaf)
    return None if identifier is None or _PLACEHOLDER.fullmatch(identifier) else identifier


def _stated_currency(element: Element) -> tuple[str, str, int] | None:
    """Return the tag, text and line of the element that states the amount's currency.

    CURRENCY means that the amounts are in the currency CURSYM and not converted yet, so the bank
    booked other amounts. ORIGCURRENCY means that the amounts are converted (OFX 1.6, 5.2).
    """
    marked = element.first("CURRENCY", "CURSYM", closed=("ORIGCURRENCY",))
    symbol = marked if not marked or marked.text else marked.child("CURSYM")
    if symbol is None:
        return None
    currency_of(symbol)
    return symbol.name, symbol.text, symbol.line


def _correction_of(
    own_id: str | None, corrected: Element | None, action: Element | None
) -> tuple[str, bool] | None:
    bank_id = _id_of(corrected)
    if corrected is None or bank_id is None:
        return None
    word = action.text.upper() if action else ""
    if word not in ("REPLACE", "DELETE") and bank_id != own_id:
        raise corrected.refused(
            "is corrected by this transaction, but no <CORRECTACTION> says REPLACE or DELETE"
        )
    return bank_id, word == "DELETE"


def securities_of(file: Element) -> dict[str, str]:
    """Return the names in the file's list of securities, by unique id."""
    names: dict[str, str] = {}
    for info in file.descendants():
        if info.name == "SECINFO":
            key, name = info.first("UNIQUEID"), name_of(info.first("SECNAME"))
            if key and name:
                names.setdefault(key.text, name)
    return names


def _investment_movement(element: Element) -> Movement | str:
    """Return an investment transaction's movement of cash, or why it is skipped.

    Purchases take money out and sales bring it in, whatever the sign of TOTAL. Other transactions
    keep the sign of TOTAL.
    """
    if element.name in _CASHLESS:
        return _CASHLESS[element.name]
    below = element.descendants()
    amount = amount_of(_required(element, below, "TOTAL"))
    if not amount:
        return "transaction without cash"
    if element.name.startswith(("BUY", "SELL")):
        # Some programs write TOTAL without a sign.
        amount = abs(amount) if element.name.startswith("SELL") else -abs(amount)
    day = _required(element, below, "DTTRADE", "DTSETTLE")
    return Movement(
        line=element.line,
        date=date_of(day),
        amount=amount,
        bank_id=_id_of(element.first("FITID")),
        payee=None,
        note=note_of(element.first("MEMO")),
        value_date=None if day.name == "DTSETTLE" else date_or_none_of(element.first("DTSETTLE")),
        security=identifier_of(element.first("UNIQUEID")),
        currency=_stated_currency(element),
    )


def count_holdings(statement: Element, skipped: Counter[str]) -> None:
    """Count the statement's positions, open orders and 401(k) balances as skipped."""
    for element in statement.descendants(closed=_HOLDINGS.keys()):
        if element.name in _HOLDINGS:
            number = sum(1 for child in element.children if child.children)
            skipped[_HOLDINGS[element.name]] += number
        elif element.name == "INV401KBAL":
            skipped["401(k) balance"] += 1
