"""Names of months, in full or abbreviated, in the languages of banks."""

import unicodedata
from functools import lru_cache

_NAMES = """
january januar janvier enero gennaio januari janeiro styczeń stycznia leden ledna
february februar feber février febrero febbraio februari fevereiro luty lutego únor února
march märz maerz mrz mars marzo maart mrt março marzec marca březen března
april avril abril aprile kwiecień kwietnia duben dubna
may mai mayo maggio mei maio maj maja květen května
june juni juin junio giugno junho czerwiec czerwca červen června čvn
july juli juillet julio luglio julho lipiec lipca červenec července čvc
august août agosto augustus augusti sierpień sierpnia srpen srpna
september septembre septiembre settembre setembro wrzesień września září
october oktober octobre octubre ottobre outubro październik października říjen října
november novembre noviembre novembro listopad listopada listopadu
december dezember décembre diciembre dicembre dezembro grudzień grudnia prosinec prosince
""".strip().splitlines()
_MORE_NAMES = """
január tammikuu tammikuuta ocak
február helmikuu helmikuuta şubat
március marts maaliskuu maaliskuuta mart mar
április huhtikuu huhtikuuta nisan
május toukokuu toukokuuta mayıs
június kesäkuu kesäkuuta haziran
július heinäkuu heinäkuuta temmuz
augusztus elokuu elokuuta ağustos
szeptember syyskuu syyskuuta eylül
október lokakuu lokakuuta ekim
marraskuu marraskuuta kasım
joulukuu joulukuuta aralık
""".strip().splitlines()


def _plain(text: str) -> str:
    """Without case, accents and a full stop."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in letters if not unicodedata.combining(c)).rstrip(".")


_MONTHS = [
    [_plain(name) for name in f"{names} {more}".split()]
    for names, more in zip(_NAMES, _MORE_NAMES, strict=True)
]


@lru_cache(1024)
def month_number(name: str) -> int:
    """From 1; 0 for what names no month, or several."""
    plain = _plain(name)
    exact = {number for number, names in enumerate(_MONTHS, 1) if plain in names}
    begun = {
        number
        for number, names in enumerate(_MONTHS, 1)
        if len(plain) > 2 and any(each.startswith(plain) for each in names)
    }
    found = exact or begun
    return found.pop() if len(found) == 1 else 0
