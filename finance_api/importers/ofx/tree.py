"""The tree of elements, from tags of which SGML leaves many unclosed.

A tag with text behind it is a leaf and ends at the next tag. Other tags are open until their
closing tag. What is still open when something around it closes was an empty leaf (``<MEMO>``
without text), and what followed it stands beside it, not in it. Only the aggregates with a rank
are known to hold what follows.
"""

from finance_api.importers.interface import ImportRefused
from finance_api.importers.ofx.element import Element, quoted
from finance_api.importers.ofx.markup import LexemeKind, tokens

MAX_DEPTH = 100

#: The name of the element that holds all others.
ROOT = ""

STATEMENTS = frozenset({"STMTRS", "CCSTMTRS", "INVSTMTRS"})
_INVESTMENT_NAMES = """
    BUYDEBT BUYMF BUYOPT BUYOTHER BUYSTOCK CLOSUREOPT INCOME INVBANKTRAN INVEXPENSE JRNLFUND
    JRNLSEC MARGININTEREST REINVEST RETOFCAP SELLDEBT SELLMF SELLOPT SELLOTHER SELLSTOCK SPLIT
    TRANSFER
"""
INVESTMENT_TRANSACTIONS = frozenset(_INVESTMENT_NAMES.split())
BANK_TRANSACTIONS = frozenset({"STMTTRN", "STMTTRNP"})
TRANSACTIONS = INVESTMENT_TRANSACTIONS | BANK_TRANSACTIONS

_LEVELS = """
    OFX
    SIGNONMSGSRSV1 SIGNUPMSGSRSV1 BANKMSGSRSV1 CREDITCARDMSGSRSV1 INVSTMTMSGSRSV1 SECLISTMSGSRSV1
    STMTTRNRS CCSTMTTRNRS INVSTMTTRNRS SECLIST
    STMTRS CCSTMTRS INVSTMTRS
    BANKTRANLIST BANKTRANLISTP INVTRANLIST INVPOSLIST INVOOLIST INVBAL LEDGERBAL AVAILBAL
"""
#: An aggregate never stands inside one of its own rank or a higher one: where one opens, those
#: that are still open have only lost their closing tag.
_RANKS = {
    name: rank
    for rank, names in enumerate(
        [
            [ROOT],
            *(level.split() for level in _LEVELS.strip().splitlines()),
            INVESTMENT_TRANSACTIONS,
            BANK_TRANSACTIONS,
        ]
    )
    for name in names
}
_STATEMENT_RANK = _RANKS["STMTRS"]


def parse_tree(text: str) -> Element:
    """The element that holds the whole file.

    Refused: more than MAX_DEPTH open elements, text in a statement that belongs to no tag, a
    closing tag of a transaction that was not opened, an end of file before everything is closed.
    """
    tree = _Tree()
    line = 1
    for kind, value, line in tokens(text):
        if kind is LexemeKind.TEXT:
            tree.text(value, line)
        elif kind is LexemeKind.CLOSE:
            tree.close(value, line)
        else:
            tree.open(value, line)
            if kind is LexemeKind.EMPTY:
                tree.close(value, line)
    tree.end(line)
    return tree.root


class _Tree:
    def __init__(self) -> None:
        self.root = Element(ROOT, 1)
        self._open = [self.root]
        # The texts since the last tag opened; None after a closing tag.
        self._texts: list[str] | None = None

    def text(self, text: str, line: int) -> None:
        if self._texts is not None and self._open[-1].name not in _RANKS:
            self._texts.append(text)
        elif text.strip() and any(_RANKS.get(e.name, 0) >= _STATEMENT_RANK for e in self._open):
            line += text.count("\n", 0, len(text) - len(text.lstrip()))
            raise ImportRefused(f"the text {quoted(text.strip())} belongs to no tag", line)

    def open(self, name: str, line: int) -> None:
        self._end_leaf()
        rank = _RANKS.get(name)
        if rank is not None:
            self._leave_for(rank)
        if len(self._open) > MAX_DEPTH:
            raise ImportRefused(f"tags are nested deeper than {MAX_DEPTH}", line)
        element = Element(name, line)
        self._open[-1].adopt([element])
        self._open.append(element)
        self._texts = []

    def close(self, name: str, line: int) -> None:
        leaf = self._end_leaf()
        if leaf and leaf.name == name:
            return
        depth = len(self._open) - 1
        while depth and self._open[depth].name != name:
            depth -= 1
        if depth:
            while len(self._open) > depth + 1:
                self._drop()
            self._open.pop()
        elif name in TRANSACTIONS:
            raise ImportRefused(f"</{name}> closes a transaction that was not opened", line)

    def end(self, line: int) -> None:
        self._end_leaf()
        for element in reversed(self._open):
            if element.name in _RANKS and element is not self.root:
                raise ImportRefused(
                    f"the file ends inside <{element.name}>, which begins in line {element.line}",
                    line,
                )
        while len(self._open) > 1:
            self._drop()

    def _end_leaf(self) -> Element | None:
        """The leaf that ends here, if there is one."""
        texts, self._texts = self._texts, None
        if not texts:
            return None
        leaf = self._open.pop()
        leaf.text = "".join(texts).strip()
        return leaf

    def _leave_for(self, rank: int) -> None:
        """Closes what cannot hold an aggregate of this rank."""
        while _RANKS.get(self._open[-1].name, rank) >= rank:
            self._drop()

    def _drop(self) -> None:
        """Closes the innermost element without its tag."""
        element = self._open.pop()
        if element.name not in _RANKS:
            self._open[-1].adopt(element.children)
            element.children = ()
