"""The guides as pages and as Markdown, and /llms.txt, which need no sign-in."""

from typing import Any

from pyramid.config import Configurator
from pyramid.httpexceptions import HTTPNotFound
from pyramid.response import Response
from pyramid.security import NO_PERMISSION_REQUIRED

from finance_api.http.requests import Request
from finance_api.http.surfaces import GUIDES, LLMS
from finance_api.web.guides import FILES, IMAGES, MARKDOWN, get_guide, llms_text
from finance_api.web.page import page


def show_guide(request: Request) -> Any:
    """Show a guide as a page; or send its Markdown, or an image of it."""
    name = request.matchdict["name"].strip("/")
    if name in FILES:
        guide = get_guide(name)
        return page("guide", guide.title, guide=guide, is_first=not name, guides=GUIDES)
    if name in MARKDOWN:
        return _text("text/markdown", MARKDOWN[name].read_text(encoding="utf-8"))
    if name in IMAGES:
        return Response(IMAGES[name].read_bytes(), content_type="image/png", charset=None)
    raise HTTPNotFound()


def show_llms_text(request: Request) -> Response:
    return _text("text/plain", llms_text())


def _text(media_type: str, text: str) -> Response:
    return Response(text, content_type=media_type, charset="utf-8")


def includeme(config: Configurator) -> None:
    config.add_route("guides", GUIDES + "{name:(?:/.*)?}")
    config.add_route("llms", LLMS)
    everybody = {"request_method": "GET", "permission": NO_PERMISSION_REQUIRED}
    config.add_view(show_guide, route_name="guides", renderer="guide.jinja2", **everybody)
    config.add_view(show_llms_text, route_name="llms", **everybody)
