"""Fixtures that all tests of importers share."""

from support.refusals import no_refusal_has_options_on_the_pages  # noqa: F401
