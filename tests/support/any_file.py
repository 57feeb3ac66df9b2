"""Files of any format, with the options that the command would take."""

import io
from collections.abc import Mapping
from typing import Any

from finance_api.importers import CAMT, CSV, MT940, NATIVE, OFX, QIF
from finance_api.importers.camt.importer import CamtImporter
from finance_api.importers.csv import CsvImporter, CsvOptions, load_profiles
from finance_api.importers.detection import detect_format
from finance_api.importers.interface import Answer, StatementImporter
from finance_api.importers.mt940.importer import Mt940Importer
from finance_api.importers.ofx.importer import OfxImporter
from finance_api.importers.qif import QifImporter, QifOptions
from finance_api.importers.spreadsheet.importer import SpreadsheetImporter

_PROFILES = load_profiles(None)


def any_importer(data: bytes, **options: Any) -> tuple[StatementImporter | None, dict[str, Any]]:
    """What reads the file, and the options that are the ledger's. Raises ImportRefused."""
    stream = io.BytesIO(data)
    format_name = detect_format(stream)
    account, currency = options.get("account"), options.get("currency")
    if format_name == NATIVE:
        return None, {}
    if format_name in (OFX, CAMT, MT940):
        importer = {OFX: lambda _: OfxImporter(currency)}.get(format_name)
        importer = importer or {CAMT: CamtImporter.of, MT940: Mt940Importer.of}[format_name]
        return importer(stream), {"account_name": account, "currency": currency}
    if format_name == QIF:
        return QifImporter(QifOptions(**options)), {"account_name": account, "currency": currency}
    importer = CsvImporter(CsvOptions(**options), _PROFILES)
    if format_name != CSV:
        importer = SpreadsheetImporter(importer)
    return importer, {"currency": currency}


def options_of(answer: Answer, before: Mapping[str, Any]) -> dict[str, Any]:
    """The options of an answer to a refusal, beside those of before; any currency will do."""
    gone = {name.removeprefix("--").replace("-", "_") for name in answer.instead_of}
    options = {name: value for name, value in before.items() if name not in gone}
    rest = iter("EUR" if word == "CODE" else word for word in answer.words)
    for word in rest:
        name = word.removeprefix("--").replace("-", "_")
        if name == "map":
            field, _, column = next(rest).partition("=")
            options["columns"] = {**options.get("columns", {}), field: column}
        elif name in ("no_text", "force_encoding"):
            options[name] = True
        elif name in ("only", "leave_out", "ignore", "fee"):
            options[name] = [*options.get(name, []), next(rest)]
        elif name in ("skip_rows", "skip_last"):
            options[name] = int(next(rest))
        else:
            options[name] = next(rest)
    return options
