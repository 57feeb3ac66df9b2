"""A second renderer of what importers ask: in German. It shows what another language takes."""

from pathlib import Path

from finance_api.values.regions import region_of
from finance_api.web.import_texts import PageWriter

_FILE = Path(__file__).parents[1] / "samples" / "questions_de.txt"
#: Name of a topic, of what a choice says, or of a phrase -> the German sentence.
SENTENCES = dict(
    line.split(": ", 1) for line in _FILE.read_text(encoding="utf-8").splitlines() if line
)


class German(PageWriter):
    """Writes the questions of a page in German."""

    sentences = SENTENCES

    def __init__(self) -> None:
        super().__init__(region_of("de-DE"))
