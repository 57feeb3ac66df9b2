"""The currency codes of ISO 4217: current ones, and withdrawn ones that old statements have."""

from functools import cache

from iso4217 import Currency

from finance_api.values.number import DECIMALS

#: Codes from ISO 4217 list three (historic denominations) that bank files of the last decades use.
_WITHDRAWN = (
    "ADP ANG ATS AZM BEF BGL BGN BYR CSD CUC CYP DEM ECS EEK ESP FIM FRF GHC GRD HRK IEP ITL "
    "LTL LUF LVL MGF MRO MTL MZM NLG PTE ROL RUR SDD SIT SKK SLL SRG STD TMM TRL USS VEB VEF "
    "XEU YUM ZMK ZWD ZWL ZWR"
).split()

CURRENCIES: tuple[str, ...] = tuple(sorted({*(c.code for c in Currency), *_WITHDRAWN}))

#: Units of account and funds, which nobody has an account in.
_UNITS = "BOV CHE CHW CLF COU MXV USN UYI UYW XAD".split()
#: Currencies that people pay with, and their names. Codes for tests and metals have no exponent.
IN_USE = {
    c.code: c.currency_name
    for c in sorted(Currency, key=lambda c: str(c.code))
    if c.exponent is not None and c.code not in {*_WITHDRAWN, *_UNITS}
}
_USUAL_DECIMALS = 2


@cache
def decimals_of(code: str | None) -> int:
    """Return how many decimals the currency has, by ISO 4217; 2 where that says nothing."""
    by_code = {currency.code: currency.exponent for currency in Currency}
    exponent = by_code.get(code or "")
    return _USUAL_DECIMALS if exponent is None else exponent


def smallest_units(code: str | None) -> int:
    """Return the smallest amount of the currency, in ten-thousandths."""
    return int(10 ** (DECIMALS - decimals_of(code)))
