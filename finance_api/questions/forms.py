"""The forms in which a link shows the answer to a saved question."""

from dataclasses import dataclass

from finance_api.http.surfaces import PUBLIC_SURFACE


@dataclass(frozen=True)
class LinkForm:
    """ending: of the address. label: for people. path: the only path that the form suits."""

    ending: str
    label: str
    path: str = ""

    def suits(self, address: str) -> bool:
        return self.path in ("", address.partition("?")[0])


FORMS = (
    LinkForm(".csv", "CSV, for spreadsheets and scripts"),
    LinkForm(".xlsx", "Excel workbook"),
    LinkForm(".json", "JSON, for programs"),
    LinkForm(".html", "Page with a table, for browsers and frames"),
    LinkForm(".ics", "Calendar to subscribe to", f"{PUBLIC_SURFACE}standing-orders/upcoming"),
    LinkForm(".rss", "Feed for feed readers", f"{PUBLIC_SURFACE}records"),
)


def forms_of(address: str) -> tuple[LinkForm, ...]:
    """Return the forms that suit a saved question. address: the question's."""
    return tuple(form for form in FORMS if form.suits(address))
