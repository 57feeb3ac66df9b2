"""The beginning of a camt file."""

import re

from finance_api.importers.charsets import utf_16_of

_MESSAGES = {
    "AcctRpt": "camt.052",
    "Stmt": "camt.053",
    "DbtCdtNtfctn": "camt.054",
}
_XML = re.compile(r"\ufeff?\s*+(?:<\?xml\b|<!--|<(?:[\w.-]++:)?+[A-Z])")
_ELEMENT = re.compile(r"<(?:[\w.-]++:)?+BkToCstmr(AcctRpt|Stmt|DbtCdtNtfctn)(?:V[0-9]+)?[\s>/]")
_NAMESPACE = re.compile(r"\b(camt\.05[234])\.001\.[0-9]{2}\b")
NOTIFICATIONS = "camt.054"
#: The elements that are statements.
STATEMENTS = {"Rpt": "camt.052", "Stmt": "camt.053", "Ntfctn": "camt.054"}


def message_of(head: bytes) -> str | None:
    """``camt.052``, ``camt.053`` or ``camt.054``, by the first bytes of a file (4 KiB are plenty).

    None: it is neither.
    """
    text = head.decode(utf_16_of(head) or "utf-8", errors="replace")
    if not _XML.match(text):
        return None
    element = _ELEMENT.search(text)
    if element:
        return _MESSAGES[element[1]]
    namespace = _NAMESPACE.search(text)
    return namespace and namespace[1]
