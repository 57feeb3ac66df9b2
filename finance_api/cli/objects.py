"""finance-api add, finance-api set, finance-api remove"""

import click

from finance_api.cli.editing import Edit, edit_options, fields_argument
from finance_api.ledger.edits.objects import add_object, remove_object, set_object
from finance_api.resources import PUBLIC_RESOURCES, RECORD_RULES, RECORDS

_TYPES = {r.path: r for r in PUBLIC_RESOURCES if r not in (RECORDS, RECORD_RULES) and r.path}

_type_argument = click.argument("type_name", metavar="TYPE", type=click.Choice(list(_TYPES)))


@click.command(epilog="Example: finance-api add me@example.com budgets name=Food limitAmount=400")
@edit_options()
@_type_argument
@fields_argument
def add(edit: Edit, type_name: str, given: dict[str, str]) -> None:
    """Add an account, category, budget, goal, standing order or label of a user.

    TYPE is accounts, categories, labels, budgets, goals or standing-orders. Refer to other data by
    name: account=Checking, categories=Groceries,Restaurants.
    """
    edit(f"add {type_name}", lambda s: add_object(s, _TYPES[type_name], given))


@click.command(
    "set", epilog="Example: finance-api set me@example.com accounts Checking initialBalance=100"
)
@edit_options()
@_type_argument
@click.argument("name")
@fields_argument
def set_command(edit: Edit, type_name: str, name: str, given: dict[str, str]) -> None:
    """Change an account, category, label and so on of a user; NAME may be its id.

    FIELD= without a value clears the field.
    """
    edit(f"set {type_name}", lambda s: set_object(s, _TYPES[type_name], name, given))


@click.command(epilog="Example: finance-api remove me@example.com labels holiday")
@edit_options()
@_type_argument
@click.argument("name")
@click.option("--with-records", is_flag=True, help="With an account, remove its records as well.")
@click.option(
    "--into",
    metavar="NAME",
    help="A category or label that takes its place: in records, budgets, rules and the like.",
)
def remove(edit: Edit, type_name: str, name: str, with_records: bool, into: str | None) -> None:
    """Remove an account, category, label and so on of a user; NAME may be its id.

    Refuses to remove anything still in use, and says what uses it.
    """
    if with_records and type_name != "accounts":
        raise click.UsageError("--with-records is for accounts")

    edit(
        f"remove {type_name}",
        lambda s: remove_object(s, _TYPES[type_name], name, with_records=with_records, into=into),
    )
