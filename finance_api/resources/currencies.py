"""The currency codes of ISO 4217: current ones, and withdrawn ones that old statements have."""

from iso4217 import Currency

#: Codes from ISO 4217 list three (historic denominations) that bank files of the last decades use.
_WITHDRAWN = (
    "ADP ANG ATS AZM BEF BGL BGN BYR CSD CUC CYP DEM ECS EEK ESP FIM FRF GHC GRD HRK IEP ITL "
    "LTL LUF LVL MGF MRO MTL MZM NLG PTE ROL RUR SDD SIT SKK SLL SRG STD TMM TRL USS VEB VEF "
    "XEU YUM ZMK ZWD ZWL ZWR"
).split()

CURRENCIES: tuple[str, ...] = tuple(sorted({*(c.code for c in Currency), *_WITHDRAWN}))
