"""What the pages add to responses: security headers of pages, and links from errors to guides."""

import json
from contextlib import nullcontext

from pyramid.registry import Registry
from pyramid.response import Response

from finance_api.http.errors import CONTENT_TYPE
from finance_api.http.requests import Handler, Request
from finance_api.http.surfaces import DOCS, GUIDES, INTERNAL_SURFACE, LINKS, WALLET, is_page
from finance_api.web.guides import error_guide
from finance_api.web.regions import regional
from finance_api.web.routes import STATIC

_NONE = "'none'"
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "style-src 'self'",
        "script-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
#: For references: their viewer has its own styles and images.
_DOCS_POLICY = _POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'").replace(
    "img-src 'self'", "img-src 'self' data:"
)
#: Errors of these paths have the members that their clients know.
_WITHOUT_HELP = (INTERNAL_SURFACE, WALLET)
#: For links of saved questions, whose address is a secret. `headers_tween` adds their policy.
_LINK_HEADERS = {"X-Robots-Tag": "noindex", "Referrer-Policy": "no-referrer"}
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "clipboard-write=(self)",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}


def headers_tween(handler: Handler, registry: Registry) -> Handler:
    framing = " ".join(registry.settings["finance_api.links.frame_ancestors"])
    link_policy = _POLICY.replace("frame-ancestors 'none'", f"frame-ancestors {framing or _NONE}")
    link_headers = {**_LINK_HEADERS, "Content-Security-Policy": link_policy}

    def tween(request: Request) -> Response:
        # Not request.path, which may not be decodable.
        path = request.environ.get("PATH_INFO", "")
        is_read_by_people = is_page(path)
        with regional(request) if is_read_by_people else nullcontext():
            response = handler(request)
        if path.startswith(LINKS):
            response.headers.update(link_headers)
        elif is_read_by_people or response.content_type == "text/html":
            response.headers.update(_HEADERS)
            if path.startswith(DOCS) and not path.startswith(GUIDES):
                response.headers["Content-Security-Policy"] = _DOCS_POLICY
            if not (path.startswith(STATIC) and response.status_int == 200):
                response.headers["Cache-Control"] = "no-store"
        elif response.content_type == CONTENT_TYPE and not path.startswith(_WITHOUT_HELP):
            _add_help(request, response)
        return response

    return tween


def _add_help(request: Request, response: Response) -> None:
    """Add a link to the guide about the status, as the last member of a problem document."""
    guide, body = error_guide(response.status_int), response.body
    if guide is not None and body.endswith(b"}"):
        response.body = body[:-1] + f',"help":{json.dumps(request.script_name + guide)}}}'.encode()
