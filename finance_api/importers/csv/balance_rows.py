"""Rows that state a balance or a total, and are no movement of money."""

import re
from functools import lru_cache

from finance_api.importers.csv.vocabulary import folded

OPENING, CLOSING, TOTAL = "opening", "closing", "total"

_WORD = re.compile(r"[^\W\d_]+")
#: Between such a word and its day.
_BESIDE = frozenset(
    """as on at am per vom zum der dem le du au el del al a dal em op na den dne ke k dzień
    januar january in eur usd gbp chf of all the transactions movements debits credits
    mouvements opérations débits crédits umsätze buchungen movimientos cargos abonos
    movimenti operazioni mutaties transacties operacji pohybů""".split()
)


def _phrases(text: str) -> frozenset[tuple[str, ...]]:
    return frozenset(
        tuple(_WORD.findall(folded(phrase)))
        for phrase in text.replace("\n", ",").split(",")
        if phrase.strip()
    )


_KINDS = {
    OPENING: _phrases(
        """opening balance, starting balance, initial balance, beginning balance, start balance
        previous balance, balance brought forward, brought forward, balance forward
        opening available balance, opening ledger balance, balance b f, balance b d
        anfangssaldo, saldovortrag, saldo vortrag, eröffnungssaldo, alter saldo, anfangsbestand
        alter kontostand, kontostand alt, anfangskontostand, vortrag, startsaldo
        solde initial, ancien solde, solde précédent, solde d'ouverture, solde de départ
        solde reporté, report à nouveau, solde antérieur
        saldo inicial, saldo anterior, saldo de apertura, saldo iniziale, saldo precedente
        nyitóegyenleg, saldo di apertura, beginsaldo, vorig saldo, openingssaldo, oud saldo
        saldo początkowe, saldo poprzednie, saldo otwarcia, počáteční zůstatek, počiatočný zostatok
        ingående saldo, inngående saldo, primosaldo, alkusaldo, nyitó egyenleg
        начальный остаток, входящий остаток, початковий залишок, açılış bakiyesi, devreden bakiye"""
    ),
    CLOSING: _phrases(
        """closing balance, ending balance, final balance, end balance, balance carried forward
        carried forward, balance carried down, balance c f, c f, new balance
        closing ledger balance, closing available balance
        endsaldo, schlusssaldo, schlußsaldo, neuer saldo, abschlusssaldo, neuer kontostand
        kontostand neu, endbestand, endkontostand, schlussbestand
        solde final, nouveau solde, solde de clôture, solde de fin
        saldo final, nuevo saldo, saldo de cierre, saldo finale, nuovo saldo, saldo di chiusura
        eindsaldo, nieuw saldo, slotsaldo, saldo końcowe, saldo zamknięcia, konečný zůstatek
        konečný zostatok, utgående saldo, slutsaldo, ultimosaldo, loppusaldo, záró egyenleg
        конечный остаток, исходящий остаток, кінцевий залишок, kapanış bakiyesi"""
    ),
    TOTAL: _phrases(
        """report, net change, page total, seitensumme, umsatzsumme
        total, totals, subtotal, sub total, grand total, sum, balance, summe, gesamt
        gesamtsumme, zwischensumme, saldo, kontostand, solde, sous total, somme, total général
        suma, totale, totaal, subtotaal, razem, celkem, zůstatek, summa, yhteensä, összesen
        итого, всего, усього, toplam, bakiye"""
    ),
}
_BY_PHRASE = {phrase: kind for kind, phrases in _KINDS.items() for phrase in phrases}
#: How each begins, in small letters.
STARTS = frozenset(phrase[0][:3] for phrase in _BY_PHRASE)
_LONGEST = 60
_SHORT = {"bal": "balance", "fwd": "forward"}


def kind_of(text: str) -> str | None:
    """OPENING, CLOSING or TOTAL of a cell such as "Saldovortrag" or "Balance as of 31.01."."""
    if len(text) > _LONGEST or text[:3].lower() not in STARTS:
        return None
    return _kind_of(text)


@lru_cache(1024)
def _kind_of(text: str) -> str | None:
    words = [_SHORT.get(word, word) for word in _WORD.findall(folded(text))]
    while len(words) > 1 and words[-1] in _BESIDE:
        words.pop()
    return _BY_PHRASE.get(tuple(words))
