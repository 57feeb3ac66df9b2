"""finance-api add, finance-api set, finance-api remove"""

import click

from finance_api.cli.editing import Edit, edit_options
from finance_api.resources import PUBLIC_RESOURCES, RECORD_RULES, RECORDS

_TYPES = {r.path: r for r in PUBLIC_RESOURCES if r not in (RECORDS, RECORD_RULES) and r.path}

_type_argument = click.argument("type_name", metavar="TYPE", type=click.Choice(list(_TYPES)))


def _assignments(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, str]:
    given: dict[str, str] = {}
    for value in values:
        field, equals, text = value.partition("=")
        if not equals:
            raise click.BadParameter(f"{value!r} is not FIELD=VALUE")
        if field in given:
            raise click.BadParameter(f"{field} is given twice")
        given[field] = text
    return given


_fields_argument = click.argument(
    "given", nargs=-1, required=True, metavar="FIELD=VALUE...", callback=_assignments
)


@click.command(epilog="Example: finance-api add me@example.com budgets name=Food limitAmount=400")
@click.argument("email")
@_type_argument
@_fields_argument
@edit_options()
def add(edit: Edit, email: str, type_name: str, given: dict[str, str]) -> None:
    """Add one of a user's accounts, categories, budgets, goals, standing orders or labels.

    TYPE is accounts, categories, labels, budgets, goals or standing-orders. Other data is named as
    the user calls it: account=Checking, categories=Groceries,Restaurants.
    """
    from finance_api.ledger.edits.objects import add_object

    edit(email, f"add {type_name}", lambda s: add_object(s, _TYPES[type_name], given))


@click.command(
    "set",
    epilog="Example: finance-api set me@example.com accounts Checking initialBalance=100",
)
@click.argument("email")
@_type_argument
@click.argument("name")
@_fields_argument
@edit_options()
def set_command(edit: Edit, email: str, type_name: str, name: str, given: dict[str, str]) -> None:
    """Change one of a user's accounts, categories, labels and so on; NAME may be its id.

    FIELD= with nothing behind it takes the value away.
    """
    from finance_api.ledger.edits.objects import set_object

    edit(email, f"set {type_name}", lambda s: set_object(s, _TYPES[type_name], name, given))


@click.command(epilog="Example: finance-api remove me@example.com labels holiday")
@click.argument("email")
@_type_argument
@click.argument("name")
@click.option("--with-records", is_flag=True, help="Of an account: its records, too.")
@edit_options()
def remove(edit: Edit, email: str, type_name: str, name: str, with_records: bool) -> None:
    """Remove one of a user's accounts, categories, labels and so on; NAME may be its id.

    What is in use is not removed: the message says by what.
    """
    from finance_api.ledger.edits.objects import remove_object

    if with_records and type_name != "accounts":
        raise click.UsageError("--with-records is for accounts")

    edit(
        email,
        f"remove {type_name}",
        lambda s: remove_object(s, _TYPES[type_name], name, with_records=with_records),
    )
