"""The texts of entries: the field ``:86:``, in the forms that banks give it."""

import re
from typing import NamedTuple

from finance_api.values.text import compact, one_line

#: The length of a line in the standard, and of a sub-field of German banks.
_LINE_LENGTH, _SUB_FIELD = 65, 27
_CODED = re.compile(r"\s*(?:[0-9]{3})?([?<>~^])[0-9]{2}")
_PURPOSE = (*map(str, range(20, 30)), *map(str, range(60, 66)))
_SEPA = re.compile(
    r"\b(EREF|KREF|MREF|CRED|DEBT|COAM|OAMT|SVWZ|ABWA|ABWE|PURP|IBAN|BIC|SQTP|ORCR|ORMR|DDAT|MDAT"
    r"|RREF|RTRN)\+"
)
_SLASHED = re.compile(
    r"/(TRTP|TRCD|IBAN|BIC|NAME|REMI|EREF|PREF|KREF|IREF|MARF|CSID|ORDP|BENM|CNTP|ACCW|RTRN|PURP"
    r"|ULTB|ULTC|ULTD|SVCL|ISDT|ADDR|INIT|OCMT|CHGS|EXCH)/"
)
_NAMED = re.compile(r"([A-Z]{2}[0-9]{2}[A-Z0-9]{11,30})[ ]+(\S.*)")
_NOT_GIVEN = frozenset({"NOTPROVIDED", "NONREF", "NOT PROVIDED"})


class Details(NamedTuple):
    """The parts of an entry's text. reference: an end-to-end id or another reference. account: the
    IBAN or number of the other side.
    """

    payee: str | None = None
    note: str | None = None
    reference: str | None = None
    account: str | None = None


def details_of(text: str) -> Details:
    """Parse the text of ``:86:``, which has one or more lines."""
    lines = text.split("\n")
    # Banks cut the text into lines at any place, even within a word or code.
    whole = "".join(lines)
    coded = _CODED.match(whole)
    if coded:
        return _of_sub_fields(whole, coded[1])
    if _SLASHED.match(whole.lstrip()):
        return _of_slashes(whole)
    named = _NAMED.fullmatch(lines[0].rstrip())
    if named:
        return Details(named[2], one_line(_joined(lines[1:], _LINE_LENGTH)), None, named[1])
    return Details(note=one_line(_joined(lines, _LINE_LENGTH)))


def _of_sub_fields(text: str, mark: str) -> Details:
    parts = re.split(rf"{re.escape(mark)}([0-9]{{2}})", text)
    found: dict[str, list[str]] = {}
    for code, value in zip(parts[1::2], parts[2::2], strict=True):
        found.setdefault(code, []).append(value)

    def of(*codes: str) -> str:
        values = [value for code in codes for value in found.get(code, ()) if value]
        return _joined(values, max(_SUB_FIELD, *map(len, values), 0))

    leading, codes = _codes_in(_SEPA, of(*_PURPOSE))
    # Except for SVWZ, the value of a code ends with its line.
    behind = (rest for code, rest in codes.items() if code != "SVWZ")
    texts = (leading, codes.get("SVWZ"), *(rest.partition("\n")[2] for rest in behind))
    return Details(
        payee=one_line(of("32", "33")),
        note=one_line(*texts) or one_line(of("00")),
        reference=_reference(codes, "EREF", "KREF"),
        account=_account(of("38") or of("31") or codes.get("IBAN", "").partition("\n")[0]),
    )


def _of_slashes(text: str) -> Details:
    _, codes = _codes_in(_SLASHED, text)
    # CNTP has the account, bank, name and place of the other side.
    side = [*codes.get("CNTP", "").split("/"), "", "", ""]
    remittance = codes.get("REMI", "").removeprefix("USTD/").strip("/")
    is_structured = remittance.startswith("STRD/")
    reference = remittance.rpartition("/")[2] if is_structured else None
    return Details(
        payee=one_line(codes.get("NAME") or side[2]),
        note=one_line(None if is_structured else remittance) or one_line(codes.get("TRTP")),
        reference=_reference(codes, "EREF", "PREF", "KREF") or one_line(reference),
        account=_account(codes.get("IBAN") or side[0] or codes.get("ACCW", "").split(",")[0]),
    )


def _codes_in(codes: re.Pattern[str], text: str) -> tuple[str, dict[str, str]]:
    """Return the text before the first code, and the text after each code's first occurrence."""
    leading, *parts = codes.split(text)
    found: dict[str, str] = {}
    for code, value in zip(parts[::2], parts[1::2], strict=True):
        found.setdefault(code, value.strip())
    return leading, found


def _joined(pieces: list[str], width: int) -> str:
    """Join the pieces of a text that was cut at a width; shorter pieces end a line."""
    return "".join(piece if len(piece) >= width else piece + "\n" for piece in pieces)


def _reference(codes: dict[str, str], *names: str) -> str | None:
    for name in names:
        text = one_line(codes.get(name, "").partition("\n")[0].strip("/"))
        if text is not None and text.upper() not in _NOT_GIVEN:
            return text
    return None


def _account(text: str | None) -> str | None:
    number = compact(text or "")
    return number if number.strip("0") else None
