"""Words of headings in the languages of banks: what a column is for."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from finance_api.importers.csv.vocabulary import folded
from finance_api.importers.marks import CODES, Mark, mark_of

#: Where a heading such as BookingDate has its next word.
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD = re.compile(r"(?:US|NZ|HK|[ACSR])\$|[^\W\d_]+|[0-9]+|[€£$¥₹₽₺₴₪₩]")
#: Letters that are no letter with an accent.
_LETTERS = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ß": "ss", "æ": "ae", "ı": "i"})
#: Between the word for amounts and its currency.
_BESIDE_CURRENCY = frozenset("in en em w v".split())
#: Codes that are taken for such in small letters, too; others may be words.
_SMALL = frozenset("eur usd gbp chf pln czk sek nok dkk huf cad aud jpy".split())
#: Whose time it is, at the end of the heading of a date.
_ZONES = frozenset("utc gmt local cet".split())
_LONGEST = 100


@lru_cache(4096)
def heading_words(heading: str) -> tuple[str, ...]:
    """The words without case and accents; a currency that stands at the end is none of them."""
    words = _tokens(heading)
    while len(words) > 1 and (words[-1].isdigit() or words[-1].lower() in _ZONES):
        words.pop()
    count = len(words)
    while len(words) > 1 and _mark_in(words[-1]) is not None:
        words.pop()
    if len(words) < count and len(words) > 1 and words[-1].lower() in _BESIDE_CURRENCY:
        words.pop()
    texts = (unicodedata.normalize("NFKD", folded(word).translate(_LETTERS)) for word in words)
    return tuple("".join(c for c in text if not unicodedata.combining(c)) for text in texts)


def _tokens(heading: str) -> list[str]:
    text = _CAMEL.sub(" ", heading[:_LONGEST]).replace("_", " ")
    return _WORD.findall(text) or text.split()


def _mark_in(word: str) -> Mark | None:
    if word.isupper() and word in CODES:
        return mark_of(word)
    is_name = not word.isalpha() or word.lower() in _SMALL or word.lower().startswith("euro")
    return mark_of(word) if is_name and not word.isdigit() else None


def marks_in(heading: str) -> set[Mark]:
    """The currencies that a heading such as "Betrag in USD" or "Amount (€)" states."""
    words = _tokens(heading)
    return {mark for word in words if len(words) > 1 and (mark := _mark_in(word)) is not None}


def currency_in(heading: str) -> str | None:
    """The only currency that a heading states, if it can be no other."""
    marks = marks_in(heading)
    return marks.pop().currency if len(marks) == 1 else None


def _phrases(text: str) -> frozenset[tuple[str, ...]]:
    return frozenset(
        heading_words(phrase) for phrase in text.replace("\n", ",").split(",") if phrase.strip()
    )


#: What a column is for -> headings, or parts of headings, that say so.
_WORDS = {
    "booked": _phrases(
        """booking date, booked, posting date, posted, post date, posted date, booking day
        entry date, date posted, date booked, settlement date
        buchungstag, buchungsdatum, buchung, gebucht am
        date de comptabilisation, date comptable, comptabilisation, date d'écriture
        fecha contable, fecha de contabilización, f contable, fecha asiento
        data contabile, data di contabilizzazione, data registrazione
        boekdatum, boekingsdatum, datum boeking, data księgowania, data zaksięgowania
        datum zaúčtování, zaúčtováno, data lançamento, data de lançamento, data contabilística
        bokföringsdag, bokföringsdatum, bokfört, bogføringsdato, bokføringsdato, bokført dato
        kirjauspäivä, könyvelés dátuma, könyvelés napja, дата проводки
        date completed, completed date, settled date, date settled, clearing date, date cleared
        datum knjiženja, odesláno, dátum spracovania, dátum zaúčtovania, data cont, fecha ctble
        data contabilă, processed date, date processed, posted on, booked on"""
    ),
    "date": _phrases(
        """date, day, transaction date, trans date, datetime, timestamp, date time, when
        created, created at, date of transaction, trade date
        datum, tag, transaktionsdatum, umsatzdatum, belegdatum, kaufdatum, datum der buchung
        date opération, date d'opération, date de l'opération, date de transaction, jour, le
        fecha, fecha operación, fecha de operación, f operación, fecha movimiento, día
        fecha de la operación, fecha de transacción
        data, data operazione, data movimento, data dell'operazione, giorno
        transactiedatum, datum transactie, data mov, data do movimento, data movimento
        data da operação, data operação, data transação
        data operacji, data transakcji, data wykonania
        datum provedení, datum transakce, datum operace, datum platby, den
        transaktionsdag, transaktionsdatum, dato, transaktionsdato, reskontradatum, päivä
        päivämäärä, tapahtumapäivä, dátum, tranzakció dátuma, дата, дата операции
        дата операції, tarih, işlem tarihi
        txn date, tran date, date started, started date, transaction time, data tranzactie
        data tranzacției, data oper, fecha oper, datum transakcije, ημερομηνία, dátum transakcie
        дата на операцията, kuupäev, datums, kjøpsdato, købsdato, tapahtumapvm, pvm
        datum nákupu, 日期, 交易日期"""
    ),
    "value": _phrases(
        """value date, value day, valued on, effective date, interest date
        valuta, wertstellung, valutadatum, wert, wertstellungsdatum, valutatag
        date de valeur, date valeur, valeur, fecha valor, fecha de valor, f valor
        data valuta, data di valuta, valutadatum, rentedatum, data valor, data de valor
        data waluty, datum valuty, valutadag, valørdato, rentedato, valuuttapäivä, arvopäivä
        értéknap, valör, дата валютирования
        value dat, valued, available on, date de la valeur, data val, data valută, datum valute
        datum valuta, dátum valuty, splatnost, ημερομηνία αξίας, вальор, rentedag"""
    ),
    "time": _phrases(
        """time, hour, uhrzeit, zeit, heure, hora, ora, tijd, tijdstip, godzina, czas, čas
        tid, klokkeslæt, klokkeslett, aika, időpont, время, час, saat"""
    ),
    "amount": _phrases(
        """amount, value, sum, total, net, gross, brutto, brut, bruto, lordo
        transaction amount, net amount, total amount
        betrag, umsatz, wert, summe, buchungsbetrag, zahlungsbetrag, umsatzbetrag
        montant, somme, valeur, importe, cantidad, monto, valor, suma
        importo, ammontare, bedrag, montante, importância, quantia, kwota, suma
        částka, objem, castka, belopp, summa, beløb, beløp, määrä, összeg, сумма, сума, tutar
        amount paid
        amt, txn amount, amount of transaction, amount credit debit, ποσό, iznos, znesek, sumă
        summa eur, bedrag bij af, betrag soll haben, 金额, 交易金额, monto de la operación
        importe operación, importe del movimiento, valor da operação, montant opération
        montant de l'opération, importo operazione, bokført beløp, tapahtumasumma, suma operacji"""
    ),
    "debit": _phrases(
        """debit, debits, money out, withdrawal, withdrawals, paid out, out, outflow, spent
        expense, expenses, payments, charges, outgoing, debit amount, spending
        soll, belastung, belastungen, ausgang, ausgänge, lastschrift, ausgabe, ausgaben, abgang
        débit, débits, dépense, dépenses, sortie, sorties, retrait, retraits
        cargo, cargos, debe, gasto, gastos, salida, salidas, retiro, retiros, débito, débitos
        uscita, uscite, dare, addebito, addebiti, spese, prelievi
        af, debet, uitgave, uitgaven, afschrijving, afschrijvingen
        saída, saídas, despesa, despesas, obciążenie, obciążenia, wydatek, wydatki, wypłaty
        výdaj, výdaje, má dáti, odchozí, odepsáno, uttag, utgift, utgifter, ut, udgift, udgifter
        ut fra konto, hævet, veloitus, menot, terhelés, kiadás, расход, списание, витрата, borç
        gider, panot ulos
        funds out, cash out, money spent, debited, amount debited, withdrawn, withdrawal amount
        withdrawal amt, debit amt, amount out, payments out, dr, dr amount, paid
        zahlungsausgang, zahlungsausgänge, auszahlung, auszahlungen, abbuchung, abbuchungen
        abgänge, minus, décaissement, décaissements, prélèvement, prélèvements, egreso, egresos
        importe cargo, prelievo, addebiti, uit, saídas, wypłata, rozchód, rozchody, výběr
        odchozí platba, utgående, utbetalning, ud, udgående, udbetaling, otto, isplata, isplate
        v breme, duguje, na teret, terećenje, rashod, výdavok, дебит, χρέωση, χρεώσεις, debetas
        kimenő, çıkan, giden"""
    ),
    "credit": _phrases(
        """credit, credits, money in, deposit, deposits, paid in, in, inflow, received, income
        receipts, incoming, credit amount, earned
        haben, gutschrift, gutschriften, eingang, eingänge, einnahme, einnahmen, zugang
        crédit, crédits, recette, recettes, revenu, revenus, entrée, entrées, versement
        versements, dépôt, dépôts, abono, abonos, haber, ingreso, ingresos, entrada, entradas
        crédito, créditos, depósito, depósitos, entrata, entrate, avere, accredito, accrediti
        versamenti, bij, inkomst, inkomsten, bijschrijving, bijschrijvingen, receita, receitas
        uznanie, uznania, przychód, przychody, wpływ, wpływy, wpłaty
        příjem, příjmy, dal, příchozí, připsáno, insättning, insättningar, inkomst, inkomster
        kredit, indtægt, indtægter, inn på konto, indsat, hyvitys, tulot, jóváírás, bevétel
        доход, зачисление, дохід, alacak, gelir
        funds in, cash in, credited, amount credited, deposited, deposit amount, deposit amt
        credit amt, amount in, payments in, cr, cr amount, zahlungseingang, zahlungseingänge
        einzahlung, einzahlungen, zugänge, plus, encaissement, encaissements, importe abono
        versamento, entradas, wpłata, vklad, příchozí platba, ingående, inbetalning, ind, inn
        indgående, indbetaling, pano, uplata, uplate, v dobro, potražuje, u korist, odobrenje
        primitak, príjem, кредит, πίστωση, πιστώσεις, kreditas, bejövő, giren, gelen, приход"""
    ),
    "balance": _phrases(
        """balance, running balance, saldo, kontostand, solde, zůstatek, zustatek, bakiye
        egyenleg, остаток, залишок, baldo, stan konta, disponible, kontosaldo, bokfört saldo
        available, solde progressif
        bal, run balance, running bal, closing balance, current balance, available balance
        ledger balance, balance after, book balance, guthaben, restsaldo, solde disponible
        saldo disponible, saldo disponibile, saldo contabile, stanje, sold, sold contabil
        saldo po transakcji, saldo po operacji, saldo na mutatie, könyvelt egyenleg, υπόλοιπο
        салдо, zostatok, likutis, atlikums, 余额, saldo etter bevegelse, saldo posterior
        solde après opération, zůstatek po transakci"""
    ),
    "fee": _phrases(
        """fee, fees, commission, commissions, charge, tip, tips, gratuity, surcharge, cashback
        gebühr, gebühren, entgelt, entgelte, spesen, trinkgeld, provision
        frais, pourboire, comisión, comisiones, propina, commissione, commissioni, mancia
        taxa, tarifa, comissão, kosten, fooi, transactiekosten, opłata, prowizja, napiwek
        poplatek, poplatky, spropitné, avgift, dricks, gebyr, drikkepenge, palkkio, díj
        jutalék, комиссия, komisyon"""
    ),
    "original": _phrases(
        """original amount, foreign amount, local amount, amount foreign currency
        transaction currency amount, instructed amount, amount in foreign currency
        ursprungsbetrag, originalbetrag, fremdwährungsbetrag, fremdbetrag
        betrag in fremdwährung, ursprünglicher betrag, montant d'origine, montant devise
        montant en devise, importe original, importe divisa, importe en divisa
        importo originale, importo in divisa, importo in valuta, oorspronkelijk bedrag
        bedrag vreemde valuta, montante original, kwota oryginalna, kwota w walucie
        původní částka, originalbelopp, oprindeligt beløb"""
    ),
    "currency": _phrases(
        """currency, ccy, cur, currency code, iso code, währung, waehrung, whg, devise, monnaie
        monn, divisa, moneda, valuta, valuta conto, munt, muntsoort, valutasoort, moeda, waluta
        waluta operacji, waluta rachunku, měna, měna účtu, valutakod, valuutta, devizanem
        pénznem, deviza, валюта, para birimi
        mena, валута, valută, νόμισμα, valiuta, waluta transakcji, valuta del conto
        devise du compte, moneda de la cuenta, kontowährung, account currency, 币种"""
    ),
    "original currency": _phrases(
        """original currency, foreign currency, local currency, transaction currency
        fremdwährung, originalwährung, ursprungswährung, devise d'origine, divisa original
        valuta originale, oorspronkelijke valuta, moeda original, waluta oryginalna
        původní měna, originalvaluta"""
    ),
    "rate": _phrases(
        """rate, exchange rate, fx rate, kurs, wechselkurs, umrechnungskurs, cours, taux
        taux de change, tipo de cambio, cambio, tasa, tasso, tasso di cambio, koers, wisselkoers
        câmbio, taxa de câmbio, kurs waluty, směnný kurz, kurz, växlingskurs, árfolyam
        курс, quantity, qty, anzahl, stück, cantidad de títulos, number, nr, no, lp, latitude
        longitude, points, percent, percentage, distance, year, month, week"""
    ),
    "payee": _phrases(
        """payee, merchant, name, counterparty, counterparty name, beneficiary, partner, recipient
        partner name, payer, payee name, merchant name, sender, vendor, shop, paid to, from to
        to from, payor, name of counterparty
        empfänger, empfaenger, auftraggeber, begünstigter, beguenstigter, zahlungsbeteiligter
        auftraggeber empfänger, empfänger auftraggeber, begünstigter auftraggeber
        auftraggeber begünstigter, zahlungsempfänger, zahlungspflichtiger, gegenpartei, händler
        beguenstigter zahlungspflichtiger, begünstigter zahlungspflichtiger, name gegenkonto
        zahlungspartner, partnername, name zahlungsbeteiligter
        tiers, bénéficiaire, nom, contrepartie, émetteur, destinataire, commerçant, donneur
        beneficiario, comercio, ordenante, destinatario, contraparte, nombre, remitente
        ordenante beneficiario, beneficiario ordenante, establecimiento
        controparte, ordinante, beneficiario ordinante, ordinante beneficiario, esercente
        naam, naam tegenpartij, begunstigde, tegenpartij, winkel
        beneficiário, destinatário, ordenante, nome
        odbiorca, kontrahent, nadawca, nadawca odbiorca, odbiorca nadawca, nazwa kontrahenta
        nadawca odbiorcy, nazwa odbiorcy
        příjemce, název protiúčtu, protistrana, obchodník, plátce příjemce, název
        jméno protistrany, plátce
        mottagare, motpart, avsändare, mottagare avsändare, avsändare mottagare
        mottaker, modtager, afsender, saaja, saaja maksaja, maksaja, kedvezményezett, partner neve
        получатель, контрагент, отримувач, alıcı
        recipient name, receiver, receiver name, sender name, beneficiary name
        sender receiver name, sender or recipient, sender recipient, empfängername
        auftraggebername, empfängerin, zahlungsempfängername, zahler, absender, geschäft
        nom de la contrepartie, nom du bénéficiaire, nombre del beneficiario, nombre comercio
        naam begunstigde, tegenrekeninghouder, naam van de tegenpartij, dane kontrahenta
        nazwa odbiorcy nadawcy, partner elnevezése, ellenoldali név, saajan nimi, maksajan nimi
        saaja maksaja nimi
        mokėtojo arba gavėjo pavadinimas, saatja saaja nimi, názov protistrany, název protistrany
        jméno protiúčtu, primatelj
        platitelj, naziv, контрагент получатель, saņēmējs, gavėjas, gönderen, karşı taraf"""
    ),
    "note": _phrases(
        """note, notes, description, memo, details, detail, narrative, narration, text, remarks
        remark, transaction details, transaction description, particulars, reference text
        comment, comments, title, purpose, message, desc, remittance information, label, info
        payment details, additional information, booking text
        verwendungszweck, verwendungszwecke, beschreibung, notiz, zahlungsgrund, zweck
        buchungsdetails, buchungsinformationen, vorgang, bemerkung, mitteilung, zahlungszweck
        umsatztext, kommentar, buchungstext, betreff
        libellé, libelle, libellé de l'opération, libellé opération, détail, détails, motif
        communication, nature de l'opération, commentaire, intitulé
        concepto, descripción, movimiento, detalle, detalles, observaciones, descripcion
        comentario, motivo, glosa
        descrizione, causale, descrizione operazione, dettagli, dettaglio, note, operazione
        descrizione estesa, motivazione
        omschrijving, mededelingen, mededeling, betalingskenmerk omschrijving, opmerking
        descrição, descritivo, histórico, movimento, detalhes, operação
        opis, tytuł, opis operacji, tytułem, szczegóły, tytuł operacji, opis transakcji
        szczegóły transakcji
        popis, poznámka, zpráva pro příjemce, popis transakce, zpráva, popis operace, účel platby
        beskrivning, meddelande, rubrik, beskrivelse, tekst, forklaring, melding, selitys, viesti
        közlemény, megjegyzés, leírás, описание, назначение платежа, назначение, опис
        призначення, açıklama
        item, what, más datos, concepto ampliado, datos adicionales, título, titulo
        opis plaćanja, opis transakcije, namen, svrha, descriere, explicații, detalii
        detalii tranzacție, description longue, libellé complet, libellé simplifié
        informations complémentaires, verwendungszweckzeile, vorgang verwendungszweck
        zweckzeile, interne notiz, bezeichnung, wofür, was, grund, základní popis, zpráva
        správa pre príjemcu, informácia pre príjemcu, transaktionstext, arkivtekst, περιγραφή
        αιτιολογία, основание, пояснение, selgitus, paskirtis, mokėjimo paskirtis, információ
        işlem, işlem açıklaması, 摘要, transaction remarks, merchant description"""
    ),
    "reference": _phrases(
        """reference, payment reference, customer reference, end to end reference, referenz
        kundenreferenz, référence, referencia, riferimento, betalingskenmerk, referência
        numer referencyjny, variabilní symbol, ocr, viite, viitenumero, cheque number
        check number"""
    ),
    "category": _phrases(
        """category, kategorie, catégorie, categoría, categoria, categorie, kategoria, kategori
        kategoria, kategória, категория, kategoria operacji"""
    ),
    "account": _phrases(
        """account number, account no, account, auftragskonto, iban auftragskonto, kontonummer
        konto, eigenes konto, own account, numéro de compte, n° de compte, n° compte, compte
        número de cuenta, cuenta, conto, numero conto, rekening, rekeningnummer, conta
        número de conta, rachunek, numer rachunku, číslo účtu, účet, iban, account id
        card, card number, karte, kartennummer, tili, tilinumero, számlaszám, bankkonto
        account name, kontoname, kontobezeichnung, nom du compte, nombre de la cuenta
        nome conto, rekeningnaam, nazwa konta, sort code account, bezeichnung auftragskonto
        iban auftraggeberkonto, auftraggeberkonto"""
    ),
    "other account": _phrases(
        """counterparty account, counterparty iban, other account, beneficiary account
        iban of counterparty, gegenkonto, iban zahlungsbeteiligter, kontonummer iban
        iban empfänger, konto empfänger, iban des begünstigten, gegenkonto iban
        zahlungsempfänger iban, kontonummer zahlungsbeteiligter, empfängerkonto
        compte bénéficiaire, iban bénéficiaire, compte tiers, compte contrepartie
        cuenta destino, cuenta beneficiario, iban beneficiario, cuenta contraparte
        iban controparte, conto controparte, tegenrekening, iban tegenrekening
        tegenrekening iban, conta destino, conta destinatário, iban destinatário
        rachunek kontrahenta, nr rachunku kontrahenta, rachunek odbiorcy, numer kontrahenta
        protiúčet, číslo protiúčtu, motkonto, modkonto, recipient account, payee account"""
    ),
    "status": _phrases(
        """status, state, pending, booked, cleared, posted, settled, deleted, void, voided
        cancelled, canceled, declined, reconciled, completed, transaction status, failed, reversed
        zustand, gebucht, vorgemerkt, storniert, gelöscht, buchungsstatus, statut, état, etat
        estado, stato, stan, stav, situação, tila, állapot, státusz, статус, durum
        bearbeitungsstatus, umsatzstatus, zahlungsstatus, auftragsstatus, transaktionsstatus
        hidden, excluded, exclude, ignored, ignored from, planned, forecast, scheduled
        projected, upcoming, draft, storno, stornierung, duplicate, zaksięgowano, rozliczono
        geboekt, verwerkt, comptabilisé, contabilizado, contabilizzato, bokförd, bogført
        geplant, ausgeblendet, reversal"""
    ),
    "way": _phrases(
        """type, direction, debit credit, credit debit, debit or credit, credit or debit
        d c, c d, dr cr, cr dr, sign, in out, cdi, transaction type, credit debit indicator
        soll haben, s h, richtung, art, umsatzart, buchungsart, umsatztyp, vorzeichen, typ
        s h kennzeichen, haben soll, kennzeichen, sens, type d'opération, signe, tipo, signo
        debe haber, cargo abono, d h, segno, dare avere, d a, tipo operazione, af bij, bij af
        debet credit, credit debet, sinal, rodzaj, typ operacji, rodzaj operacji, směr
        typ transakce, druh, laji, tyyppi, típus, тип, tür, +/-, -/+, +, -, ±
        debit credit flag, cr dr indicator, debet kredit, debetas kreditas, dc, crdr, drcr
        plus minus, flow, terhelés vagy jóváírás, irány, směr úhrady, creditdebet, kredit debet
        in or out, inflow outflow, money in out, buchungsrichtung, s h kz"""
    ),
}
#: Of a column that is a status: what it says of a row where it has yes, true or 1.
_DENIES = _phrases(
    """pending, deleted, void, voided, cancelled, canceled, declined, failed, reversed, reversal
    hidden, excluded, exclude, ignored, planned, forecast, scheduled, projected, upcoming, draft
    duplicate, vorgemerkt, storniert, storno, stornierung, gelöscht, geplant, ausgeblendet"""
)
MINOR_UNITS = _phrases("cents, cent, pence, minor units, minor, rappen, centimes, céntimos")


def role_fit(role: str, heading: str) -> int:
    """2 if the heading is known to say it, 1 if a part of the heading says it, else 0."""
    words = heading_words(heading)
    if not words:
        return 0
    phrases = _WORDS[role]
    if words in phrases:
        return 2
    parts = (
        words[start:end]
        for start in range(len(words))
        for end in range(start + 1, min(start + 4, len(words)) + 1)
    )
    return int(any(len(part[0]) > 2 and part in phrases for part in parts))


def known_headings(headings: Sequence[str]) -> int:
    """How many of them are known to say what their column is for."""
    return sum(any(role_fit(role, each) == 2 for role in _WORDS) for each in headings)


def denies(heading: str) -> bool:
    """Whether yes in this column means that the row is no money."""
    return any((word,) in _DENIES for word in heading_words(heading))


def in_minor_units(heading: str) -> bool:
    words = heading_words(heading)
    return any((word,) in MINOR_UNITS for word in words) or words[-2:] in MINOR_UNITS
