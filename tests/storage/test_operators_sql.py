"""An operator without its SQL stops the start."""

import subprocess
import sys

import pytest

from finance_api.query.operators import Operator
from finance_api.storage.sql.reading.conditions import check_operators

#: Adds an operator to the module before anything else imports it, then imports the application.
_ADDED = """
import importlib, inspect
from finance_api.query import operators
source = inspect.getsource(operators)
line = "    WORD = Word()"
exec(source.replace(line, "    SOUNDS_LIKE = StartsWithI()\\n" + line), operators.__dict__)
importlib.import_module("finance_api.storage.sql")
"""


def test_an_operator_without_sql_is_refused_when_the_storage_is_imported() -> None:
    tried = subprocess.run([sys.executable, "-c", _ADDED], capture_output=True, text=True)
    assert tried.returncode
    assert "conditions has no SQL for the operator SOUNDS_LIKE" in tried.stderr


@pytest.mark.parametrize("operator", Operator)
def test_each_operator_needs_sql(operator: Operator) -> None:
    with pytest.raises(TypeError, match=f"no SQL for the operator {operator.name}$"):
        check_operators({*Operator} - {operator})
