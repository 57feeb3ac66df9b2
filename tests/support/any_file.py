"""Files of any format, with the options that the command would take."""

import io
from collections.abc import Mapping
from typing import Any

from finance_api.importers.detection import detect_format
from finance_api.importers.formats import AccountKey
from finance_api.importers.interface import Answer, StatementImporter


def any_importer(data: bytes, **options: Any) -> tuple[StatementImporter | None, dict[str, Any]]:
    """What reads the file, and the options that are the ledger's. Raises ImportRefused."""
    stream = io.BytesIO(data)
    found = detect_format(stream)
    importer = found.new_importer(stream, options)
    if importer is None:
        return None, {}
    account = None if found.account_key is AccountKey.USER else options.get("account")
    return importer, {"account_name": account, "currency": options.get("currency")}


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
