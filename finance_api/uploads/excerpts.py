"""Shows people the place that a question or refusal is about: table rows or lines of text."""

from typing import Any, BinaryIO

from finance_api.importers.csv.places import TableSample
from finance_api.importers.interface import Question
from finance_api.values.text import shown

#: How many lines are shown before and after a line, and how many characters of each.
_AROUND = 1
_LONGEST = 200
#: Stop looking for the next line after this many bytes: people cannot read such a line.
_LONGEST_READ = 1 << 20


def question_of(question: Question, sample: TableSample, stream: BinaryIO) -> dict[str, Any]:
    """Return a question as JSON, with what the file has in its line."""
    found: dict[str, Any] = {
        "fact": question.fact,
        "line": question.line,
        "needs": question.needs,
        "answers": [answer._asdict() for answer in question.answers],
        "row": None,
        "text": [],
    }
    if question.line is not None:
        found["row"] = sample.by_line.get(question.line)
        if not sample.columns:
            found["text"] = _lines(stream, question.line)
    return found


def _lines(stream: BinaryIO, line: int) -> list[list[Any]]:
    """Return the line with the lines beside it, each with its number."""
    stream.seek(0)
    before = max(0, line - 1 - _AROUND)
    for _ in range(before):
        if len(stream.readline(_LONGEST_READ)) == _LONGEST_READ:
            return []
    texts: list[bytes] = []
    while len(texts) < line + _AROUND - before:
        texts.append(stream.readline(_LONGEST_READ))
        if len(texts[-1]) == _LONGEST_READ:
            break
    stream.seek(0)
    if any(b"\0" in text for text in texts):
        return []
    return [
        [number, shown(text[: 4 * _LONGEST].decode("utf-8", "replace").rstrip())[:_LONGEST]]
        for number, text in enumerate(texts, before + 1)
        if text
    ]
