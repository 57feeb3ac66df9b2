"""Lets ini files begin with a byte order mark, which some editors write."""

from functools import partial
from logging.config import fileConfig

import plaster_pastedeploy
from paste.deploy import loadwsgi

ENCODING = "utf-8-sig"


def accept_marks() -> None:
    """Let the loader of ini files, which has no option for it, skip the mark."""
    vars(loadwsgi)["open"] = partial(open, encoding=ENCODING)
    vars(plaster_pastedeploy)["fileConfig"] = partial(fileConfig, encoding=ENCODING)
