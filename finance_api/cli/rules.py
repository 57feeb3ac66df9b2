"""finance-api rules"""

from typing import Any

import click

from finance_api.cli.context import CliContext, get_user, pass_cli_context
from finance_api.cli.editing import Edit, edit_options
from finance_api.cli.output import json_option, show_list
from finance_api.ledger.derivation import list_rules
from finance_api.ledger.edits.objects import remove_object
from finance_api.ledger.edits.report import shown
from finance_api.ledger.edits.rules import APPLY, add_rule, apply_rules
from finance_api.ledger.session import UserRows
from finance_api.resources import RECORD_RULES


@click.group()
def rules() -> None:
    """Record rules, which give records a category, labels and a payee."""


@rules.command(
    epilog="Example: finance-api rules add me@example.com aldi lidl --category Groceries"
)
@edit_options()
@click.argument("keywords", nargs=-1, required=True, metavar="KEYWORD...")
@click.option("--category", metavar="NAME", help="The category to set.")
@click.option(
    "--label", "labels", multiple=True, metavar="NAME", help="A label to add; repeatable."
)
@click.option("--account", metavar="NAME", help="Apply the rule to this account only.")
@click.option("--payee", metavar="NAME", help="The payee to set.")
@click.option("--whole-payee", is_flag=True, help="A keyword must be the whole payee.")
def add(edit: Edit, keywords: tuple[str, ...], **given: Any) -> None:
    """Add a rule for records with one of the keywords in payee or note.

    The rule applies to records of later statement files; 'rules apply' applies it to stored ones.
    """
    edit("rules add", lambda s: add_rule(s, keywords, **given))


@rules.command("list", epilog="Example: finance-api rules list me@example.com --json")
@click.argument("email")
@json_option
@pass_cli_context
def list_command(cli: CliContext, email: str, as_json: bool) -> None:
    """Show a user's rules, in the order in which they apply."""
    fields = {f.name: f for f in RECORD_RULES.fields}
    with cli.reading() as storage:
        owned = UserRows(storage, get_user(storage, email))
        rows = [
            {
                "id": row["id"],
                "name": row["name"],
                "keywords": list(row["keywords"]),
                "wholePayee": row["wholePayee"],
                "payee": row["payee"],
                "category": shown(owned, fields["categoryId"], row["categoryId"]),
                "labels": shown(owned, fields["labelIds"], row["labelIds"]),
                "account": shown(owned, fields["accountId"], row["accountId"]),
            }
            for row in list_rules(owned)
        ]
    headings = ("ID", "NAME", "KEYWORDS", "WHOLE PAYEE", "PAYEE", "CATEGORY", "LABELS", "ACCOUNT")
    whole = {"wholePayee": lambda is_whole: "yes" if is_whole else "-"}
    show_list(rows, headings, as_json=as_json, cells=whole)


@rules.command(epilog="Example: finance-api rules remove me@example.com 'aldi, lidl'")
@edit_options()
@click.argument("name")
def remove(edit: Edit, name: str) -> None:
    """Remove a rule, by its name or id; records keep what it gave them."""
    edit("rules remove", lambda s: remove_object(s, RECORD_RULES, name))


@rules.command("apply", epilog="Example: finance-api rules apply me@example.com --dry-run")
@edit_options()
@click.option(
    "--all",
    "recategorise",
    is_flag=True,
    help="Also change records whose category came from a rule.",
)
def apply_command(edit: Edit, recategorise: bool) -> None:
    """Apply the rules to stored records: payees, and what records without a category lack.

    Manual edits are kept.
    """
    edit(APPLY, lambda s: apply_rules(s, recategorise=recategorise))
