"""The pages: made by the server, and usable without scripts.

Users sign in, look at their money and edit it, import files, and manage their tokens.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # Commands need no web framework.
    from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    from pyramid.tweens import INGRESS

    from finance_api.http.tweens import REQUEST_ID

    # Outermost, so that every page has the security headers, whatever made the response.
    config.add_tween("finance_api.web.headers.headers_tween", under=INGRESS, over=REQUEST_ID)
    config.add_settings({"jinja2.undefined": "strict", "jinja2.trim_blocks": "true"})
    config.include("pyramid_jinja2")
    config.action(None, partial(_set_up_templates, config), order=1)
    config.include("finance_api.web.rendering")
    config.include("finance_api.web.csrf")
    config.include("finance_api.web.errors")
    config.include("finance_api.web.page")
    config.include("finance_api.web.routes")
    config.include("finance_api.web.views.objects")
    config.include("finance_api.web.views.guides")
    config.scan("finance_api.web.views")


def _set_up_templates(config: Configurator) -> None:
    """Name templates by file alone. pyramid_jinja2 would compile an imported template again for
    each template that imports it.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, PrefixLoader

    environment = config.get_jinja2_environment()
    templates = PackageLoader("finance_api.web")
    of_views = PrefixLoader({"finance_api.web.views": templates, "finance_api.web": templates}, ":")
    environment.loader = ChoiceLoader([of_views, templates])
    environment.join_path = partial(Environment.join_path, environment)
