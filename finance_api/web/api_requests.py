"""Requests to the public API, as the pages show them beside their results."""

from collections.abc import Mapping
from dataclasses import dataclass
from shlex import quote as shell_quote
from urllib.parse import quote, urlencode

from finance_api.http.proxies import is_https
from finance_api.http.requests import Request


@dataclass(frozen=True)
class ApiRequest:
    """A GET request. parameters: not yet encoded; blank ones are left out.

    about: which figure of the page it returns, if the page shows several requests.
    """

    path: str
    parameters: Mapping[str, str]
    about: str = ""

    @property
    def target(self) -> str:
        """Path and query."""
        given = {name: text for name, text in self.parameters.items() if text}
        query = urlencode(given, safe=",.:", quote_via=quote)
        return f"{self.path}?{query}" if query else self.path


def curl_line(request: Request, token: str, target: str) -> str:
    """A shell command, with scheme and host of the page. token: or a variable such as $TOKEN."""
    # request.scheme is that of the proxy's request.
    scheme = "https" if is_https(request) else "http"
    url = shell_quote(f"{scheme}://{request.host}{target}")
    # In single quotes a shell would not fill in a variable.
    mark = '"' if token.startswith("$") else "'"
    return f"curl -H {mark}Authorization: Bearer {token}{mark} {url}"
