"""Parses HTML into events, and finds the forms."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from html.parser import HTMLParser
from typing import Any, NamedTuple


class Event(NamedTuple):
    """kind: start, end, text, or another kind of markup. text: the tag, or the text."""

    kind: str
    text: str
    attributes: tuple[tuple[str, str | None], ...] = ()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.events: list[Event] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.events.append(Event("start", tag, tuple(attrs)))

    def handle_endtag(self, tag: str) -> None:
        self.events.append(Event("end", tag))

    def handle_data(self, data: str) -> None:
        if self.events and self.events[-1].kind == "text":
            data = self.events.pop().text + data
        self.events.append(Event("text", data))

    def handle_comment(self, data: str) -> None:
        self.events.append(Event("comment", data))

    def handle_decl(self, decl: str) -> None:
        self.events.append(Event("declaration", decl))

    def handle_pi(self, data: str) -> None:
        self.events.append(Event("instruction", data))

    def unknown_decl(self, data: str) -> None:
        self.events.append(Event("declaration", data))


def parsed(html: str) -> list[Event]:
    """Return the parser's events for a page."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.events


def mapped(events: list[Event], change: Callable[[str], str]) -> list[Event]:
    """Return the events with ``change`` applied to all texts and attribute values."""
    return [
        Event(
            e.kind,
            change(e.text) if e.kind == "text" else e.text,
            tuple((name, None if value is None else change(value)) for name, value in e.attributes),
        )
        for e in events
    ]


def shown_text(html: str) -> str:
    """Return the text of a page, with single blanks."""
    return " ".join(" ".join(e.text for e in parsed(html) if e.kind == "text").split())


class Form(NamedTuple):
    action: str
    method: str
    #: The names and values that an unchanged form sends.
    fields: list[tuple[str, str]]
    #: The names of all controls of the form.
    names: set[str]

    def filled(self, given: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return the fields to send with these values. A list repeats a name, None omits it."""
        for name in given:
            assert name in self.names, (name, self.names)
        kept = [pair for pair in self.fields if pair[0] not in given]
        for name, value in given.items():
            values = value if isinstance(value, (list, tuple)) else [value]
            kept += [(name, v) for v in values if v is not None]
        return kept


def forms(html: str) -> list[Form]:
    """Return the forms with their controls, also those outside, which name their form."""
    found: list[Form] = []
    by_id: dict[str | None, Form] = defaultdict(lambda: Form("", "", [], set()))
    open_form: Form | None = None
    select_form: Form | None = None
    select_name = ""
    options: list[tuple[str, bool]] = []
    for event in parsed(html):
        values = dict(event.attributes)
        if event.kind == "end" and event.text == "form":
            open_form = None
        if event.kind == "end" and event.text == "select" and select_form:
            chosen = [v for v, is_selected in options if is_selected] or [v for v, _ in options[:1]]
            select_form.fields.extend((select_name, v) for v in chosen)
            select_form = None
        if event.kind != "start":
            continue
        name = values.get("name")
        form = by_id[values["form"]] if "form" in values else open_form
        if event.text == "form":
            action, method = values.get("action") or "", (values.get("method") or "get").lower()
            named = by_id.pop(values.get("id"), None) if "id" in values else None
            before = named or Form("", "", [], set())
            open_form = Form(action, method, before.fields, before.names)
            if "id" in values:
                by_id[values["id"]] = open_form
            found.append(open_form)
        elif event.text == "option":
            options.append((values.get("value") or "", "selected" in values))
        elif form is None or not name:
            continue
        elif event.text == "select":
            select_form, select_name, options = form, name, []
            form.names.add(name)
        elif event.text in ("input", "button"):
            form.names.add(name)
            may_be_off = event.text == "button" or values.get("type") in ("checkbox", "radio")
            if not may_be_off or "checked" in values:
                form.fields.append((name, values.get("value") or ""))
    return found


def csrf_of(html: str) -> str:
    """Return the CSRF token of the page's forms, which must be the same in all."""
    found = {value for form in forms(html) for name, value in form.fields if name == "csrf_token"}
    assert len(found) == 1, found
    return found.pop()
