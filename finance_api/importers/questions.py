"""Collects the questions that a file leaves open, to ask them all at once."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from finance_api.importers.interface import Answer, ImportRefused, Question
from finance_api.importers.texts import listed

#: Placeholders in a command line for an account's name and a currency's code, which only the user
#: knows.
NAME, CODE = "NAME", "CODE"


def excluding(one: Sequence[str], other: Sequence[str]) -> ImportRefused:
    """Return a refusal of two groups of options that exclude each other."""
    return ImportRefused(
        f"{one[0]} and {other[0]} exclude each other",
        answers=(
            Answer(instead_of=tuple(other), meaning=f"use {one[0]}"),
            Answer(instead_of=tuple(one), meaning=f"use {other[0]}"),
        ),
    )


@dataclass
class Questions:
    """The questions so far. Reading continues with the first answer to each, to find the others.

    asked: in the order in which they came up.
    columns: indexes of the columns that were asked about. fields: fields that several columns fit;
    the content of these columns is not asked about yet.
    """

    asked: list[Question] = field(default_factory=list)
    columns: set[int] = field(default_factory=set)
    fields: set[str] = field(default_factory=set)

    def ask(
        self,
        fact: str,
        *answers: Answer,
        line: int | None = None,
        column: int | None = None,
        of: str | None = None,
        how: str = "",
        needs: tuple[str, ...] = (),
    ) -> None:
        """Add a question. of: the field that several columns fit. how, needs: see `Question`."""
        self.asked.append(Question(fact, line, answers, how, needs))
        if column is not None:
            self.columns.add(column)
        if of is not None:
            self.fields.add(of)

    def add(self, others: "Questions") -> None:
        """Add all questions of ``others``."""
        self.asked += others.asked
        self.columns |= others.columns
        self.fields |= others.fields

    def ask_for_currency(self, new: Collection[str] | None, codes: Sequence[str] = ()) -> None:
        """Ask for the currency of accounts that may be new, when there are other questions anyway.

        new: the names of the new accounts; None: the account itself is still unknown. codes: some
        possible currencies.
        """
        if (new is not None and not new) or self.asks_for("--currency"):
            return
        such_as = f"such as {' or '.join(codes[:3] or ('EUR',))}"
        if new is None:
            fact = "a new account needs a currency"
            how = (
                f": give it with --currency, {such_as}; for an existing account, leave out "
                f"--currency"
            )
        else:
            is_new = "is a new account" if len(new) == 1 else "are new accounts"
            fact, how = f"{listed(new)} {is_new}", f": give the currency with --currency, {such_as}"
        self.ask(fact, Answer(("--currency", CODE)), how=how)

    def asks_for(self, option: str) -> bool:
        return any(option in answer.words for question in self.asked for answer in question.answers)

    def put(self) -> None:
        """Raise ImportRefused if anything was asked."""
        if not self.asked:
            return
        first, *others = self.asked
        parts = [first.reason] + [
            f"{question.reason} (line {question.line})" if question.line else question.reason
            for question in others
        ]
        raise ImportRefused("; and ".join(parts), first.line, questions=tuple(self.asked))
