"""The examples of the docs: fenced blocks of commands, each with the answer shown for it.

A block of the language ``sh`` is followed by its answer: a block of ``json``, of ``http`` (status
line, headers, an empty line, the body), or of plain text. "…" stands for omitted text: a whole
line, a part of a text, the rest of a list, and as a key the other members of an object.

A comment before a block is an instruction: ``<!-- example: quota used up -->`` runs the block under
that condition, on a separate service; ``<!-- not run: reason -->`` skips the block.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

ELISION = "…"
_WIDTH = 88
_MEMBERS_OF_A_LINE = 3
_FENCE = re.compile(
    r"(?:^<!-- (?P<remark>[^>]*) -->\n)?^```(?P<language>[a-z]*)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
#: A block of one of these languages must be an answer, or be marked as not run.
_ANSWERS = ("json", "http")


@dataclass(frozen=True, slots=True)
class Block:
    """start, end: offsets of the body in the page's text. line: number of the first fence."""

    language: str
    body: str
    remark: str
    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Example:
    """condition: from the comment before the block, "" for none."""

    command: Block
    answer: Block | None
    condition: str


def _blocks(text: str) -> Iterator[tuple[Block, str]]:
    """Yield each block with the text between it and the previous block."""
    end = 0
    for found in _FENCE.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        start, stop = found.span("body")
        block = Block(found["language"], found["body"], found["remark"] or "", line, start, stop)
        yield block, text[end : found.start()]
        end = found.end()


def examples_of(text: str, *, commands: tuple[str, ...]) -> tuple[list[Example], list[Block]]:
    """Return the examples of a page, and the blocks that are not run.

    commands: a block of ``sh`` is an example if it contains one of these. Raises AssertionError
    for an answer that belongs to no command and is not marked as not run.
    """
    found: list[Example] = []
    left_out: list[Block] = []
    #: The block that a following answer belongs to: an example, or a command that is not run.
    last: Example | Block | None = None
    for block, between in _blocks(text):
        if between.strip():
            last = None
        if block.remark.startswith("not run: "):
            left_out.append(block)
            last = block
        elif block.language in ("sh", "python"):
            last = None
            if block.language == "python" or any(name in block.body for name in commands):
                last = Example(block, None, block.remark.removeprefix("example: "))
                found.append(last)
        elif isinstance(last, Example) and block.language in ("", *_ANSWERS):
            found[-1] = Example(last.command, block, last.condition)
            last = None
        elif block.language in _ANSWERS and not isinstance(last, Block):
            raise AssertionError(f"line {block.line}: which command has this answer?")
    return found, left_out


# -- comparing -----------------------------------------------------------------------------------


def matches(block: Block, output: str) -> bool:
    """Return whether a command's output is what its answer shows."""
    if block.language == "json":
        return _matches_json(_parsed(block.body), _parsed(output))
    if block.language == "http":
        shown, told = _message(block.body), _message(output)
        return _matches_headers(shown[0], told[0]) and (
            _matches_json(_parsed(shown[1]), _parsed(told[1]))
            if _is_json(told[1])
            else _matches_lines(shown[1].splitlines(), told[1].splitlines())
        )
    return _matches_lines(block.body.splitlines(), output.splitlines())


def _parsed(text: str) -> Any:
    return json.loads(text, parse_float=Decimal)


def _is_json(text: str) -> bool:
    return text.lstrip().startswith(("{", "["))


def _message(text: str) -> tuple[list[str], str]:
    """Split a message into its status line and headers, and its body."""
    head, _, body = text.replace("\r\n", "\n").partition("\n\n")
    return head.splitlines(), body


def _matches_text(shown: str, told: str) -> bool:
    pattern = ".*".join(re.escape(part) for part in shown.split(ELISION))
    return re.fullmatch(pattern, told, re.DOTALL) is not None


def _matches_lines(shown: list[str], told: list[str]) -> bool:
    if not shown:
        return not told
    if shown[0] == ELISION:
        return any(_matches_lines(shown[1:], told[n:]) for n in range(1, len(told) + 1))
    return bool(told) and _matches_text(shown[0], told[0]) and _matches_lines(shown[1:], told[1:])


def _matches_headers(shown: list[str], told: list[str]) -> bool:
    """Compare headers in any order, ignoring the case of their names."""
    left = [_lower_name(line) for line in told]
    for line in (_lower_name(line) for line in shown if line != ELISION):
        found = next((other for other in left if _matches_text(line, other)), None)
        if found is None:
            return False
        left.remove(found)
    return bool(left) == (ELISION in shown)


def _lower_name(line: str) -> str:
    name, colon, value = line.partition(": ")
    return f"{name.lower()}{colon}{value}"


def _matches_json(shown: Any, told: Any) -> bool:
    if shown == ELISION:
        return True
    if isinstance(shown, dict) and isinstance(told, dict):
        names = [name for name in shown if name != ELISION]
        return (
            (set(names) < set(told) if ELISION in shown else set(names) == set(told))
            and names == [name for name in told if name in shown]
            and all(_matches_json(shown[name], told[name]) for name in names)
        )
    if isinstance(shown, list) and isinstance(told, list):
        if shown[-1:] == [ELISION]:
            shown = shown[:-1]
            told = told[: len(shown)] if len(told) > len(shown) else None
        return told is not None and len(shown) == len(told) and all(map(_matches_json, shown, told))
    if isinstance(shown, str) and isinstance(told, str):
        return _matches_text(shown, told)
    # Decimals are compared by their digits: -52.30 is not -52.3.
    return type(shown) is type(told) and str(shown) == str(told)


# -- writing -------------------------------------------------------------------------------------


def rewritten(block: Block, output: str) -> str:
    """Return the answer's body with the command's new output, with the same omissions."""
    if block.language == "json":
        return pretty(_refilled(_parsed(block.body), _parsed(output))) + "\n"
    if block.language == "http":
        shown, told = _message(block.body), _message(output)
        head = _rewritten_headers(shown[0], told[0])
        if not told[1]:
            return "\n".join(head) + "\n"
        body = told[1]
        if _is_json(body):
            body = pretty(_refilled(_parsed(shown[1] or "null"), _parsed(body)))
        return "\n".join([*head, "", body.rstrip("\n")]) + "\n"
    shown_lines, told_lines = block.body.splitlines(), output.splitlines()
    if len(shown_lines) != len(told_lines):
        return output
    lines = zip(shown_lines, told_lines, strict=True)
    return "\n".join(old if _matches_text(old, new) else new for old, new in lines) + "\n"


def _rewritten_headers(shown: list[str], told: list[str]) -> list[str]:
    """Return the new values of the headers shown, or all headers if none was omitted."""
    if ELISION not in shown:
        return told
    by_name = {line.partition(":")[0].lower(): line for line in told[1:]}
    lines = [told[0]]
    for line in shown[1:]:
        new = line if line == ELISION else by_name.get(line.partition(":")[0].lower())
        if new is not None:
            same = ELISION in line and _matches_text(_lower_name(line), _lower_name(new))
            lines.append(line if same else new)
    return lines


def _refilled(shown: Any, told: Any) -> Any:
    """Return the new value (``told``) with the same omissions as the old one (``shown``)."""
    if isinstance(shown, str) and ELISION in shown and _matches_json(shown, told):
        return shown
    if isinstance(shown, dict) and isinstance(told, dict) and ELISION in shown:
        kept = {
            name: ELISION if name == ELISION else _refilled(value, told[name])
            for name, value in shown.items()
            if name == ELISION or name in told
        }
        return kept if set(kept) - {ELISION} < set(told) else told
    if isinstance(shown, dict) and isinstance(told, dict):
        return {name: _refilled(shown.get(name), value) for name, value in told.items()}
    if isinstance(shown, list) and isinstance(told, list):
        short = shown[-1:] == [ELISION] and len(told) >= len(shown)
        count = len(shown) - 1 if short else len(told)
        models = shown[:count] + [None] * (count - len(shown))
        filled = [_refilled(model, value) for model, value in zip(models, told, strict=False)]
        return filled + [ELISION] * short
    return told


def pretty(value: Any, indent: int = 0) -> str:
    """Format JSON. Short values that contain no list or object are on one line."""
    flat = _flat(value)
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    nested = any(isinstance(each, dict | list) for each in inside)
    long = isinstance(value, dict) and len(value) > _MEMBERS_OF_A_LINE
    if not nested and not long and indent + len(flat) <= _WIDTH:
        return flat
    inner = " " * (indent + 2)
    if isinstance(value, dict):
        parts = [
            f"{inner}{json.dumps(name, ensure_ascii=False)}: {pretty(each, indent + 2)}"
            for name, each in value.items()
        ]
        return "{\n" + ",\n".join(parts) + f"\n{' ' * indent}}}"
    if isinstance(value, list):
        parts = [inner + pretty(each, indent + 2) for each in value]
        return "[\n" + ",\n".join(parts) + f"\n{' ' * indent}]"
    return flat


def _flat(value: Any) -> str:
    if isinstance(value, dict):
        parts = [f"{json.dumps(k, ensure_ascii=False)}: {_flat(v)}" for k, v in value.items()]
        return "{ " + ", ".join(parts) + " }" if parts else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(_flat, value))}]"
    return str(value) if isinstance(value, Decimal) else json.dumps(value, ensure_ascii=False)


def rewrite(page: Path, answers: dict[Block, str]) -> None:
    """Replace the bodies of some blocks of a page."""
    text = page.read_text(encoding="utf-8")
    for block, body in sorted(answers.items(), key=lambda each: each[0].start, reverse=True):
        text = text[: block.start] + body + text[block.end :]
    page.write_text(text, encoding="utf-8")
