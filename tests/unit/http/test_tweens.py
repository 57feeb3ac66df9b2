"""The order of the tweens in `finance_api.http.tweens` is the one that Pyramid uses."""

import re
from pathlib import Path

from pyramid.scripts.ptweens import PTweensCommand
from pyramid.tweens import EXCVIEW

from finance_api.http.tweens import REQUEST_ID, TWEENS

_INI = """
[app:main]
use = egg:finance_api
finance_api.storage = memory
"""


def test_the_effective_order_is_the_one_of_the_tuple(tmp_path: Path) -> None:
    ini = tmp_path / "app.ini"
    ini.write_text(_INI)
    lines: list[str] = []
    command = PTweensCommand(["ptweens", str(ini)])
    command.out = lines.append
    command.run()
    found = re.findall(r"^[0-9]+ +(\S+)", "\n".join(lines), re.MULTILINE)
    with_plugins = [
        "finance_api.web.headers.headers_tween",
        REQUEST_ID,
        "finance_api.wallet.responses.wallet_tween",
        *TWEENS[1:],
    ]
    assert found == with_plugins
    assert EXCVIEW in found
