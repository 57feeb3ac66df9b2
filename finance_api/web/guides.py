"""The guides: the pages of docs/, a folder of this package in a checkout and when installed."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath
from threading import Lock
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

from finance_api.http.surfaces import GUIDES

_FOLDER = Path(__file__).with_name("docs")
_INDEX = "README"
_NO_WORD = re.compile(r"[^\w\- ]")
_LINE_BREAK = re.compile("<br ?/?>")
#: Focusable, so that the keyboard can scroll it.
_BOX = '<div class="wide" tabindex="0">'
_SENTENCE = re.compile(r".+?[.:](?=\s|$)", re.DOTALL)


def _files(ending: str) -> dict[str, Path]:
    """Return the files of the folder by their path in it. Only these files are ever opened."""
    found = sorted(_FOLDER.rglob(f"*{ending}"))
    return {file.relative_to(_FOLDER).as_posix(): file for file in found}


#: Files by their path below the folder.
MARKDOWN: Mapping[str, Path] = _files(".md")
IMAGES: Mapping[str, Path] = _files(".png")


def _name(file: str) -> str:
    """Return the name of a guide: ``filters``, ``recipes/pandas``; "" for the first page."""
    stem = file.removesuffix(".md")
    return dirname(stem) if stem.rpartition("/")[2] == _INDEX else stem


#: Name of a guide -> path of its file below the folder.
FILES: Mapping[str, str] = {_name(file): file for file in MARKDOWN}


def guide_path(name: str) -> str:
    """Return the path of a guide's page."""
    return f"{GUIDES}/{name}" if name else GUIDES


@dataclass(frozen=True)
class Guide:
    """A guide. id, title: the id and the text of its first heading. summary: its first sentence.

    html: the text after the title. ids: the ids of all its headings.
    """

    file: str
    id: str
    title: str
    summary: str
    html: str
    ids: tuple[str, ...]


#: Only one thread parses at a time: mdurl reads a table that another thread has not filled yet.
_PARSING = Lock()


def get_guide(name: str) -> Guide:
    """Return the guide with this name. Raises KeyError if there is no such guide."""
    with _PARSING:
        return _parsed(FILES[name])


@cache
def _parsed(file: str) -> Guide:
    markdown = MarkdownIt("commonmark").enable("table")
    tokens = markdown.parse(MARKDOWN[file].read_text(encoding="utf-8"))
    ids: dict[str, int] = {}
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", _id_of(tokens[at + 1].content, ids))
        # The policy of the pages allows no style in an element.
        if str(token.attrs.pop("style", "")).endswith("right"):
            token.attrSet("class", "number")
        if token.type == "th_open" and not tokens[at + 1].content:
            # A heading without words helps nobody.
            token.tag = tokens[at + 2].tag = "td"
        if token.type == "fence":
            # Code may be wide, too.
            token.attrSet("tabindex", "0")
        if token.type == "html_block" and token.content.startswith("<!--"):
            token.content = ""
        _adapt(token.children or (), file)
    # The template shows the heading.
    heading, title, tokens = str(tokens[0].attrs["id"]), tokens[1].content, tokens[3:]
    paragraphs = (t.content for t in tokens if t.type == "inline")
    first = _SENTENCE.match(next(paragraphs, ""))
    summary = "" if first is None else f"{_text(markdown, first[0])[:-1]}."
    html = markdown.renderer.render(list(_in_boxes(tokens)), markdown.options, {})
    return Guide(file, heading, title, summary, html, tuple(ids))


def _id_of(heading: str, ids: dict[str, int]) -> str:
    """Return the id of a heading, as GitHub makes it: ``400-bad-request``, ``400-bad-request-1``.

    ids: the ids so far, each with the number of headings that had it before.
    """
    found = _NO_WORD.sub("", heading.lower()).replace(" ", "-")
    ids[found] = ids.get(found, -1) + 1
    return f"{found}-{ids[found]}" if ids[found] else found


def _adapt(tokens: Sequence[Token], file: str) -> None:
    """Make links and images point to their places in this service. file: the guide's file."""
    is_linked = True
    for token in tokens:
        if token.type == "link_open":
            target = _target(str(token.attrs["href"]), file)
            is_linked = target is not None
            token.attrSet("href", target or "")
        elif token.type == "image":
            token.attrSet("src", f"{GUIDES}/{_beside(str(token.attrs['src']), file)}")
        elif token.type == "html_inline" and not _LINE_BREAK.fullmatch(token.content):
            token.type = "text"
        if not is_linked and token.type in ("link_open", "link_close"):
            token.type, token.nesting, token.content = "text", 0, ""


def _beside(path: str, file: str) -> str:
    return normpath(join(dirname(file), path))


def _target(href: str, file: str) -> str | None:
    """Return where a link leads; None if it leads to a file that only the source code has."""
    parts = urlsplit(href)
    if parts.scheme or not parts.path or parts.path.startswith("/"):
        return href
    found = _beside(parts.path, file)
    if found not in MARKDOWN:
        return None
    return guide_path(_name(found)) + (f"#{parts.fragment}" if parts.fragment else "")


def _in_boxes(tokens: Sequence[Token]) -> Iterator[Token]:
    """Put each table into a box, which scrolls on its own if the table is too wide."""
    for token in tokens:
        if token.type == "table_open":
            yield Token("html_block", "", 0, content=_BOX)
        yield token
        if token.type == "table_close":
            yield Token("html_block", "", 0, content="</div>")


def _text(markdown: MarkdownIt, source: str) -> str:
    """Return the words of a paragraph, without its markup."""
    (inline,) = markdown.parseInline(source)
    children = inline.children or ()
    return "".join(" " if child.type == "softbreak" else child.content for child in children)


@cache
def error_guide(status: int) -> str | None:
    """Return the path of the guides' section about a status; None if there are no guides."""
    if "errors" not in FILES:
        return None
    ids = get_guide("errors").ids
    section = next((f"#{each}" for each in ids if each.startswith(f"{status}-")), "")
    return guide_path("errors") + section


@cache
def llms_text() -> str:
    """Return /llms.txt, which leads programs that read text to the guides (https://llmstxt.org)."""
    first = get_guide("")
    lines = [
        "# finance_api",
        "",
        "> A person's own finance data: a read-only REST API with pages. Everything but the guides "
        "needs a personal token in the header Authorization: Bearer.",
        "",
        "- [OpenAPI](/v1/openapi.json): every path with its parameters and responses",
        f"- [{first.title}]({GUIDES}/{first.file}): which guide is for whom",
        "",
        "## Guides",
        "",
    ]
    guides = [get_guide(name) for name in FILES if name]
    lines += [f"- [{each.title}]({GUIDES}/{each.file}): {each.summary}" for each in guides]
    return "\n".join(lines) + "\n"
