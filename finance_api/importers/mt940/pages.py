"""Pages of a statement: ``:62M:`` of one is ``:60M:`` of the next."""

from collections import defaultdict
from collections.abc import Mapping

from finance_api.importers.interface import ImportRefused, Statement
from finance_api.values.number import decimal_text


class Pages:
    """The pages of a file, in whatever order they come."""

    def __init__(self) -> None:
        # By account and amount: the number of the page, the line of the balance, the statement.
        self._found: defaultdict[str, dict[tuple[object, int], tuple[int, int, Statement]]]
        self._found = defaultdict(dict)
        self._pages = 0

    def add(self, statement: Statement, balances: Mapping[str, tuple[int, int]]) -> None:
        """balances: the amount and the line of each balance of one page, by its tag."""
        self._pages += 1
        account = statement.account.key, statement.account.currency
        for tag, (amount, line) in balances.items():
            self._found[tag].setdefault((account, amount), (self._pages, line, statement))

    def check(self) -> None:
        """Raises ImportRefused if a page between two others is missing.

        The pages before the first one and after the last may be in a file of their own.
        """
        found = self._found
        begins, ends = found["60M"], found["62M"]
        alone = begins.keys() - ends.keys() - found["62F"].keys()
        alone |= ends.keys() - begins.keys() - found["60F"].keys()
        for (account, amount), (page, line, statement) in begins.items():
            if (account, amount) not in alone:
                continue
            statement.remarks.append(_not_here("before", line))
            for key, (other_page, other_line, _) in ends.items():
                if key in alone and key[0] == account and other_page != page:
                    raise ImportRefused(
                        f"the page begins with a balance of {decimal_text(amount)}, and no page "
                        f"ends with it, nor does one go on after line {other_line}: a page between "
                        "them is missing; download the statement again",
                        line,
                    )
        for key in ends.keys() & alone:
            _, line, statement = ends[key]
            statement.remarks.append(_not_here("after", line))


def _not_here(where: str, line: int) -> str:
    return f"the page of the statement {where} line {line} is not in the file: import it, too"
