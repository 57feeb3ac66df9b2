"""Which rows are money, where the file leaves it open: asks for --only and --leave-out."""

from collections.abc import Sequence
from itertools import product

from finance_api.importers.csv.columns import Headings
from finance_api.importers.csv.selection import Selection
from finance_api.importers.csv.survey import Survey
from finance_api.importers.csv.vocabulary import BOOKED, NOT_MONEY, folded, kind_of
from finance_api.importers.interface import MOST_COMMANDS, Answer
from finance_api.importers.questions import Questions
from finance_api.importers.texts import listed, quoted

#: Up to this many unknown words are offered in each combination; more as all, none, and one by one.
_COMBINED = 3


def names_balance(cells: Sequence[str]) -> bool:
    """Whether a row says that it is a balance or a total."""
    return any(kind_of(cell.strip()) for cell in cells if cell.strip())


def ask_which_rows(
    survey: Survey, selection: Selection, headings: Headings, questions: Questions
) -> None:
    """Ask about words of a status that are not known, and about rows that may be totals."""
    for index, unknown in selection.unknown.items():
        known = selection.words.get(index, {})
        kept = [text for text, keeps in known.items() if keeps]
        _ask_for_words(index, unknown, kept, headings, questions)
    for column in survey.watched:
        words = {text.strip(): min(lines.values()) for text, lines in column.values.items()}
        unknown = {text: line for text, line in words.items() if _is_not_money(text)}
        if unknown:
            kept = [text for text in words if text not in unknown]
            others = {text: words[text] for text in kept if folded(text) not in BOOKED}
            booked = [text for text in kept if text not in others]
            _ask_for_words(column.index, {**unknown, **others}, booked, headings, questions)
    for (index, text), line in selection.doubtful.items():
        name = headings.named(index)
        questions.ask(
            f"the row of {quoted(text)} may be a total, which is no record: say it with "
            "--leave-out COLUMN=VALUE",
            Answer(("--leave-out", f"{name}={text}"), (), f"{quoted(text)} is no record"),
            Answer(("--leave-out", f"{name}="), (), f"{quoted(text)} is a record"),
            line=line,
        )


def _is_not_money(text: str) -> bool:
    """Whether a text is, or has, a word for what has not been booked."""
    words = folded(text)
    return words in NOT_MONEY or any(
        len(word) > 5 and word in NOT_MONEY for word in words.replace("-", " ").split()
    )


def _ask_for_words(
    index: int,
    unknown: dict[str, int],
    kept: list[str],
    headings: Headings,
    questions: Questions,
) -> None:
    """kept: words of rows that are money. Rows of each unknown word may be."""
    name = headings.named(index)
    count = len(unknown)
    choices: list[tuple[bool, ...]] = [(True,) * count, (False,) * count]
    # All but one of them, and one alone.
    for is_kept in (True, False):
        choices += [tuple((i == n) != is_kept for i in range(count)) for n in range(count)]
    choices = choices[:MOST_COMMANDS]
    if count <= _COMBINED:
        choices = list(product((True, False), repeat=count))
    answers = []
    for chosen in choices:
        texts = [*kept, *(t for t, is_kept in zip(unknown, chosen, strict=True) if is_kept)]
        if not texts:
            continue
        words = tuple(word for text in texts for word in ("--only", f"{name}={text}"))
        answers.append(Answer(words, meaning=f"money are rows of {listed(texts)}"))
    questions.ask(
        f"the column {quoted(name)} has {listed([*unknown, *kept])}: say which rows are money with "
        "--only COLUMN=VALUE",
        *answers,
        line=min(unknown.values()),
        column=index,
    )
