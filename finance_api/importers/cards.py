"""Weighs the signs of a card's amounts against its texts."""

from collections.abc import Iterator

from finance_api.importers.clauses import Says, Topic, clause
from finance_api.importers.csv.vocabulary import are_card_payments, is_repaid
from finance_api.importers.interface import Choice, Questions


class CardSigns:
    """Takes the amounts of a card. Whether only payments to the card have a minus, and no purchase.

    spent: the line of the first purchase, judging by its texts, whose amount has no minus.
    """

    def __init__(self) -> None:
        self.spent = 0
        # The texts beside a minus; None if they are not all payments.
        self._paid: list[tuple[str, ...]] | None = []

    def add(self, line: int, texts: tuple[str, ...], *, has_minus: bool) -> None:
        is_payment = is_repaid(texts)
        if has_minus and not is_payment:
            self._paid = None
        elif has_minus and self._paid is not None:
            self._paid.append(texts)
        elif not (has_minus or is_payment):
            self.spent = self.spent or line

    def ask(self, questions: Questions) -> None:
        """Ask what positive amounts mean if they may be purchases."""
        if self.spent and (self._paid == [] or (self._paid and are_card_payments(self._paid))):
            questions.ask(clause(Topic.CARD_SIGNS), *_either_way(self.spent), line=self.spent)


def _either_way(line: int) -> Iterator[Choice]:
    for word, says in (("out", Says.GOES_OUT), ("in", Says.COMES_IN)):
        yield Choice({"positive": word}, clause(says, line=line))
