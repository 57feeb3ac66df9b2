"""The forms in which a link shows the answer to a saved question."""

from dataclasses import dataclass

from finance_api.http.surfaces import PUBLIC_SURFACE


@dataclass(frozen=True)
class LinkForm:
    """A form in which a link shows an answer.

    ending: the ending of the link's address. label: the form's name for people. path: the only path
    that the form suits; "": the form suits all paths.
    """

    ending: str
    label: str
    path: str = ""


FORMS = (
    LinkForm(".csv", "CSV, for spreadsheets and scripts"),
    LinkForm(".xlsx", "Excel workbook"),
    LinkForm(".json", "JSON, for programs"),
    LinkForm(".html", "Page with a table, for browsers and frames"),
    LinkForm(".ics", "Calendar to subscribe to", f"{PUBLIC_SURFACE}standing-orders/upcoming"),
    LinkForm(".rss", "Feed for feed readers", f"{PUBLIC_SURFACE}records"),
)


def forms_of(address: str) -> tuple[LinkForm, ...]:
    """Return the forms that suit a saved question. address: the question's address."""
    return tuple(form for form in FORMS if form.path in ("", address.partition("?")[0]))
