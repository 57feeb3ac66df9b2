"""Payees and purposes in the languages whose banks write other encodings than UTF-8."""

#: Encodings -> texts of a language that they have, separated by commas.
TEXTS = {
    ("cp1250", "iso8859-2"): (
        "Żabka Łódź,czynsz za październik,pensja świąteczna,Sklep spożywczy,opłata za kartę,"
        "usługi księgowe,Apteka Pod Różą,przelew własny,ubezpieczenie OC,Orlen stacja",
        "Lékárna U Lípy,nájem za říjen,výplata mzdy,Potraviny Šťastný,poplatek za účet,"
        "škola v přírodě,dárek pro mámu,Pražská energetika,žádost o vrácení,Řeznictví",
        "Élelmiszer bolt,lakbér október,fizetés,gyógyszertár,közös költség,autó biztosítás,"
        "Erdőspuszta Kft,utalás saját számlára,könyvesbolt,fűtés díja",
        "plača za siječanj,račun za struju,Mlinar pekara,članarina,poštarina,kućne potrepštine,"
        "Željeznice,šećer i kava,uplata osiguranja,čišćenje",
    ),
    ("cp1251",): (
        "Продукты Пятёрочка,зарплата за март,Аптека на углу,коммунальные услуги,перевод брату,"
        "Магазин Мебель,абонентская плата,проезд в метро,Кафе Уют,подарок маме",
        "Хранителни стоки,заплата за март,наем октомври,такса сметка,Аптека Здраве,ток и вода,"
        "превод към Иван,Книжарница Слово,застраховка,Бензин",
        "Сільпо продукти,зарплата за березень,комунальні послуги,Аптека Подорожник,переказ братові,"
        "їжа для кота,оплата за газ,Книгарня Є,дитячий садок,проїзд",
    ),
    ("cp1253", "iso8859-7"): (
        "Σούπερ μάρκετ,μισθός Μαρτίου,ενοίκιο Οκτωβρίου,Φαρμακείο,λογαριασμός ρεύματος,"
        "μεταφορά σε αδελφό,Βιβλιοπωλείο,ασφάλεια αυτοκινήτου,καφές και γλυκό,δώρο γενεθλίων",
    ),
    ("cp1254",): (
        "Market alışverişi,maaş ödemesi,kira Ekim,eczane,elektrik faturası,kardeşe havale,"
        "Şişli Kırtasiye,araç sigortası,doğum günü hediyesi,İstanbul ulaşım",
    ),
    ("cp1252", "mac-roman"): (
        "Bäckerei Müller,Miete für Oktober,Gehalt März,Apotheke am Schloß,Überweisung Jörg,"
        "Büchergeld,Ökostrom,Fußball Verein,Kindergärten,Geschenk für Käthe",
        "Boulangerie Élysée,loyer d'août,salaire de février,Pharmacie du Théâtre,électricité,"
        "virement à Chloé,librairie,cadeau de Noël,crèche,École",
        "Panadería Añil,alquiler de otoño,nómina de marzo,farmacia El Jardín,electricidad,"
        "transferencia a José,librería,regalo de cumpleaños,guardería,café",
        "Padaria São João,renda de março,salário,farmácia Conceição,eletricidade e água,"
        "transferência,livraria Coração,prenda de Natal,pão de ló,manutenção",
        "Bageri Växjö,hyra för oktober,lön i mars,Apotek Hjärtat,överföring till Åsa,bokhandel,"
        "present till mamma,förskola,Köp på nätet,kött",
        "Bageri Nørrebro,husleje for oktober,løn i marts,apotek Ærø,overførsel til Søren,"
        "boghandel på hjørnet,gave til mor,børnehave,køb på nettet,strøm",
    ),
    ("cp932",): (
        "セブンイレブン,給与,家賃十月,電気料金,水道料金,振込 タナカ,スーパーマルエツ,"
        "書店で買い物,お誕生日プレゼント,カード利用",
    ),
    ("gb18030",): (
        "超市购物,工资三月,房租十月,电费,水费,转账给弟弟,书店,生日礼物,地铁交通,咖啡店",
    ),
    ("big5",): (
        "超級市場購物,薪資三月,房租十月,電費,水費,轉帳給弟弟,書店,生日禮物,捷運交通,咖啡店",
    ),
    ("cp949",): (
        "편의점,급여 삼월,월세 시월,전기요금,수도요금,동생에게 이체,서점,생일 선물,지하철 교통,"
        "커피숍",
    ),
}
