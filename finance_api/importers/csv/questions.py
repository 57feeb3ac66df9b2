"""What a file leaves open: all of it is asked for at once."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from finance_api.importers.interface import ImportRefused


@dataclass
class Questions:
    """The options that are missing, in the order in which they were found missing.

    Reading goes on under what each question proposes, so that what else is open comes to light.
    answers: words of a command line, options and their values.
    withdrawn: names of options that were given and do not go with the answers.
    columns: indexes of those that were asked about.
    """

    reasons: list[tuple[str, int | None]] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)
    columns: set[int] = field(default_factory=set)

    def ask(
        self,
        reason: str,
        *answer: str,
        line: int | None = None,
        instead_of: Sequence[str] = (),
        column: int | None = None,
    ) -> None:
        self.reasons.append((reason, line))
        self.answers += answer
        self.withdrawn += instead_of
        if column is not None:
            self.columns.add(column)

    def put(self) -> None:
        """Raises ImportRefused if anything was asked."""
        if not self.reasons:
            return
        (first, line), *others = self.reasons
        parts = [first] + [
            f"{reason} (line {place})" if place else reason for reason, place in others
        ]
        raise ImportRefused(
            "; and ".join(parts),
            line,
            missing_options=tuple(self.answers),
            withdrawn_options=tuple(self.withdrawn),
        )
