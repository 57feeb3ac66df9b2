"""What a file leaves open: all of it is asked for at once."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from finance_api.importers.interface import Answer, ImportRefused

#: What stands in a command line for the name of an account, and for the code of a currency, that
#: only the person can say.
NAME, CODE = "NAME", "CODE"

#: So many command lines are shown: what is open beyond them is asked for the next time.
_MOST_LINES = 12


@dataclass
class Questions:
    """The options that are missing, in the order in which they were found missing.

    Reading goes on under the first answer to each, so that what else is open comes to light.
    reasons: each with its line. answers: to each; only one where nothing else can be meant, and
    none where no option helps.
    columns: indexes of those that were asked about. fields: of which several columns can be meant:
    what these hold is not asked about yet.
    """

    reasons: list[tuple[str, int | None]] = field(default_factory=list)
    answers: list[tuple[Answer, ...]] = field(default_factory=list)
    columns: set[int] = field(default_factory=set)
    fields: set[str] = field(default_factory=set)

    def ask(
        self,
        reason: str,
        *answers: Answer,
        line: int | None = None,
        column: int | None = None,
        of: str | None = None,
    ) -> None:
        """of: the field whose column is open."""
        self.reasons.append((reason, line))
        self.answers.append(answers)
        if column is not None:
            self.columns.add(column)
        if of is not None:
            self.fields.add(of)

    def asks_for(self, option: str) -> bool:
        return any(option in answer.words for answers in self.answers for answer in answers)

    def forget(self) -> None:
        self.reasons.clear()
        self.answers.clear()

    def put(self) -> None:
        """Raises ImportRefused if anything was asked."""
        if not self.reasons:
            return
        (first, line), *others = self.reasons
        parts = [first] + [
            f"{reason} (line {place})" if place else reason for reason, place in others
        ]
        raise ImportRefused("; and ".join(parts), line, answers=tuple(self._joined()))

    def _joined(self) -> Iterator[Answer]:
        """An answer to all of it for each way in which the single ones go together."""
        asked: list[tuple[Answer, ...]] = []
        lines = 1
        for answers in self.answers:
            if lines * len(answers) <= _MOST_LINES:
                lines *= len(answers)
                asked.append(answers)
        for chosen in product(*asked):
            words = tuple(word for answer in chosen for word in answer.words)
            yield Answer(words, tuple(name for answer in chosen for name in answer.instead_of))
