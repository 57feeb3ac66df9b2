"""The pages: made by the server, and usable without scripts.

Users sign in, look at their money and edit it, import files, and manage their tokens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # Commands need no web framework.
    from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    from pyramid.tweens import INGRESS

    from finance_api.http.tweens import TWEENS

    # Outermost, so that every page has the security headers, whatever made the response.
    config.add_tween("finance_api.web.protection.headers_tween", under=INGRESS, over=TWEENS[0])
    config.add_settings({"jinja2.undefined": "strict", "jinja2.trim_blocks": "true"})
    config.include("pyramid_jinja2")
    config.add_jinja2_search_path("finance_api.web:templates")
    config.include("finance_api.web.rendering")
    config.include("finance_api.web.protection")
    config.include("finance_api.web.errors")
    config.include("finance_api.web.page")
    config.include("finance_api.web.routes")
    config.include("finance_api.web.views.objects")
    config.include("finance_api.web.views.guides")
    config.scan("finance_api.web.views")
