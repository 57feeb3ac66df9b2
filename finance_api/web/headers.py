"""The security headers of pages, and the links from problem documents to the guides."""

from pyramid.registry import Registry
from pyramid.response import Response

from finance_api.http import surfaces
from finance_api.http.errors import CONTENT_TYPE, with_member
from finance_api.http.requests import Handler, Request
from finance_api.web.guides import error_guide
from finance_api.web.routes import STATIC

_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
#: The policy of the API references, whose viewer has its own styles and images.
_DOCS_POLICY = _POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'").replace(
    "img-src 'self'", "img-src 'self' data:"
)
#: Errors at these paths get no help link: they have only the members that their clients know.
_WITHOUT_HELP = (surfaces.INTERNAL_SURFACE, surfaces.WALLET)
#: Headers for the links of saved questions, whose addresses are secret. `headers_tween` adds their
#: policy.
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
    framing = " ".join(registry.settings["finance_api.links.frame_ancestors"]) or "'none'"
    link_policy = _POLICY.replace("frame-ancestors 'none'", f"frame-ancestors {framing}")
    link_headers = {**_LINK_HEADERS, "Content-Security-Policy": link_policy}

    def tween(request: Request) -> Response:
        # Not request.path, which may not be decodable.
        path = request.environ.get("PATH_INFO", "")
        is_read_by_people = surfaces.is_page(path)
        response = handler(request)
        if path.startswith(surfaces.SURFACES) and response.status_int < 400:
            # Neither a page nor a problem document. Reading the content type would take longer.
            return response
        if path.startswith(surfaces.LINKS):
            response.headers.update(link_headers)
        elif is_read_by_people or response.content_type == "text/html":
            response.headers.update(_HEADERS)
            if surfaces.is_below(path, surfaces.DOCS) and not surfaces.is_below(
                path, surfaces.GUIDES
            ):
                response.headers["Content-Security-Policy"] = _DOCS_POLICY
            if not (path.startswith(STATIC) and response.status_int == 200):
                response.headers["Cache-Control"] = "no-store"
        elif response.content_type == CONTENT_TYPE and not path.startswith(_WITHOUT_HELP):
            _add_help(request, response)
        return response

    return tween


def _add_help(request: Request, response: Response) -> None:
    """Add a link to the guide about the status, as the last member of a problem document."""
    guide = error_guide(response.status_int)
    if guide is not None and response.body:
        response.body = with_member(response.body, "help", request.script_name + guide)
