"""The limiter that the settings name."""

import re

import pytest

from finance_api.ratelimit.interface import open_limiter
from finance_api.ratelimit.memory import MemoryLimiter
from finance_api.runtime.settings import SettingError
from finance_api.settings import read_settings

NAME = "finance_api.ratelimit.backend"


def opened(backend):
    return open_limiter(read_settings({NAME: backend}, {}))


@pytest.mark.parametrize("backend", ["memory", "finance_api.ratelimit.memory.from_settings"])
def test_a_limiter_is_looked_up_by_its_name(backend):
    assert isinstance(opened(backend), MemoryLimiter)


@pytest.mark.parametrize(
    ("backend", "said"),
    [
        ("redsi", "'redsi' is neither memory nor redis nor a dotted name that can be imported"),
        ("builtins.dict", "'builtins.dict' does not return a RateLimiter"),
        ("finance_api.ratelimit.interface.Limit", "cannot be called with the settings"),
    ],
)
def test_another_name_is_refused(backend, said):
    with pytest.raises(SettingError, match=re.escape(f"{NAME}: ") + ".*" + said):
        opened(backend)
