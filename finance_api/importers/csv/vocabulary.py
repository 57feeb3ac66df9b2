"""Words of banks: which way money goes, and what is not (or not yet) money."""

from finance_api.values.text import TextError, clean, fold


def folded(text: str) -> str:
    """The form in which words and headings are compared: NFC, trimmed, without case."""
    try:
        return fold(clean(text)).strip()
    except TextError:
        return text


def _words(text: str) -> frozenset[str]:
    return frozenset(folded(word) for word in text.replace("\n", ",").split(",") if word.strip())


_OUT = _words(
    """debit, dr, d, dbit, debet, expense, spending, out, outflow, withdrawal, money out, paid
    sent, s, soll, belastung, lastschrift, ausgabe, af, débit, dépense, cargo, gasto, débito
    dare, uscita, addebito, saída, despesa, výdaj, má dáti, wydatek, obciążenie, uitgave, utgift
    uttag, udgift, kiadás, terhelés, расход, списание, витрата, gider, borç
    -, paid out, ausgang, ausgehend, outgoing, retrait, sortie, debe, salida, retiro
    uitgaand, odchozí, wypłata, afskrivning, spent, payment out, outbound, minus
    withdrawals, debits, abbuchung, auszahlung, egreso, wydatki, výběr, utbetalning, udbetaling
    isplata, duguje, дебит, debetas, дебет, t"""
)
_IN = _words(
    """credit, cr, c, crdt, income, in, inflow, deposit, money in, received, h, haben
    gutschrift, einnahme, bij, crédit, revenu, abono, ingreso, crédito, avere, entrata
    accredito, entrada, receita, příjem, dal, przychód, uznanie, inkomst, insättning, indtægt
    bevétel, jóváírás, доход, зачисление, дохід, gelir, alacak
    +, paid in, eingang, eingehend, incoming, versement, entrée, haber, depósito
    inkomend, příchozí, wpłata, kredit, kreditering, payment in, inbound, plus
    deposits, credits, einzahlung, wpływ, wpływy, vklad, inbetalning, indbetaling, uplata
    potražuje, кредит, kreditas, j"""
)

#: A word of the table -> -1 for money going out, 1 for money coming in.
DIRECTIONS = dict.fromkeys(_OUT, -1) | dict.fromkeys(_IN, 1)

YES = _words("true, yes, 1, y, x, ja, oui, si, sí, sì, sim, tak, ano")
NO = _words("false, no, 0, n, nein, non, nee, não, nie, ne, nej")
YES_OR_NO = YES | NO

#: Words for what has been booked, beside the next ones.
BOOKED = _words(
    """completed, complete, cleared, booked, posted, settled, executed, processed, done, paid
    success, successful, succeeded, confirmed, reconciled, finished
    gebucht, ausgeführt, abgeschlossen, erledigt, comptabilisé, exécuté, effectué, terminé
    contabilizado, completado, ejecutado, realizado, contabilizzato, completato, eseguito
    concluído, executado, verwerkt, geboekt, voltooid, uitgevoerd, bokförd, genomförd, bogført
    gennemført, bokført, gjennomført, kirjattu, zaksięgowane, zaksięgowana, rozliczone
    zaúčtováno, provedeno, könyvelt, teljesült, исполнено, выполнено, проведено, виконано
    tamamlandı, gerçekleşti, paid, c, r, cleared transaction, concluído, concluída, boekt, avräknad
    eseguita, ejecutada, completada, contabilizada, comptabilisée, exécutée, effectuée, provedena
    zaúčtovaná, zrealizowana, zrealizowane, verwerkte, abgerechnet, verbucht, buchung
    accepted, billed, berechnet, geaccepteerd, accepté, acceptée, accettato, sent, ok, closed
    finalized, validé, validée, efectuado, efectuada, effettuato, realizada, liquidado, liquidada
    zakończone, zakończona, ukończone, wykonane, wykonana, dokončeno, dokončená, vyřízeno
    könyvelve, lekönyvelt, teljesítve, genomfört, utförd, udført, utført, toteutunut
    realizované, zaúčtované, knjiženo, izvršeno, izvršena, finalizată, finalizat"""
)

#: Words for what has not been booked, or never will be.
NOT_MONEY = _words(
    """pending, declined, reverted, failed, cancelled, canceled, rejected, refused, reversed
    voided, void, denied, expired, incomplete, unsuccessful, processing, in progress, on hold
    hold, scheduled, planned, unposted
    ausstehend, vorgemerkt, vormerkung, abgelehnt, fehlgeschlagen, storniert, abgebrochen
    zurückgewiesen
    in bearbeitung, geplant, nicht ausgeführt
    en attente, refusé, refusée, échoué, échouée, annulé, annulée, rejeté, rejetée, en cours
    à venir
    pendiente, rechazado, rechazada, denegado, denegada, fallido, fallida, cancelado, cancelada
    anulado, anulada, en curso, retenido
    in attesa, in sospeso, rifiutato, rifiutata, fallito, fallita, annullato, annullata
    non contabilizzato, stornato, stornata
    pendente, recusado, recusada, falhou, falhado, rejeitado, rejeitada, em processamento
    estornado, estornada
    in behandeling, geweigerd, mislukt, geannuleerd, gereserveerd, teruggedraaid, afgewezen
    väntande, reserverat, reserverad, avvisad, nekad, misslyckad, misslyckades, avbruten
    annullerad, makulerad, pågående
    afventer, afvist, annulleret, mislykkedes, reserveret, venter
    avvist, reservert, kansellert, mislyktes, avbrutt
    odottaa, varaus, hylätty, peruttu, peruutettu, epäonnistui
    oczekujące, oczekująca, oczekuje, w rozliczeniu, w trakcie, w realizacji, blokada
    odrzucone, odrzucona, odrzucony, anulowane, anulowana, anulowany, nieudane, nieudana
    čekající, čeká, zamítnuto, zamítnutá, zrušeno, zrušená, neúspěšné, blokace, neprovedeno
    nezaúčtováno
    függőben, folyamatban, elutasítva, visszautasítva, törölve, sikertelen, zárolás
    в обработке, ожидание, ожидает, отклонено, отклонена, отменено, отменена, не выполнено
    ошибка, неуспешно
    в обробці, очікує, відхилено, скасовано, помилка
    beklemede, bekliyor, reddedildi, iptal, iptal edildi, başarısız"""
)
