/**
 * Emoji up to Unicode 15, a string each group and a line each emoji: itself, its name, further words, parted by tabs.
 * Names and words: Unicode CLDR (Unicode License v3), by way of emojibase-data 17.0.0 (MIT, Miles Johnson).
 */
const groups: readonly string[] = [
  `😀	grinsendes Gesicht	froh fröhlich haha lachen lol lustig smiley
😃	grinsendes Gesicht mit großen Augen	fröhlich glücklich lachen lol lustig lächeln mund offen smiley
😄	grinsendes Gesicht mit lachenden Augen	fröhlich geschlossen glücklich lol lustig lächeln mund offen smiley witzig
😁	strahlendes Gesicht mit lachenden Augen	fröhlich grinsen happy lustig lächeln smiley zähne
😆	Grinsegesicht mit zugekniffenen Augen	geschlossen grinsen haha hehe hihi lachen lol lustig mund offen smiley witzig zusammengekniffen
😅	grinsendes Gesicht mit Schweißtropfen	lachen lustig lächeln mund nervös offen schwitzen smiley
🤣	sich vor Lachen auf dem Boden wälzen	gesicht haha hehe lol lustig muahaha rofl smiley tränen witzig
😂	Gesicht mit Freudentränen	fröhlich haha happy hehe hihi lachen lol lustig muahaha rofl smiley witzig
🙂	leicht lächelndes Gesicht	smiley
🙃	umgekehrtes Gesicht	auf dem kopf lächeln smiley stehen
🫠	schmelzendes Gesicht	auflösen beschämt flüssig hitze sarkasmus sarkastisch schwitzen smiley verschwinden
😉	zwinkerndes Gesicht	auge flirten sexy smiley zudrücken zugedrückt zukneifen zuzwinkern
😊	lächelndes Gesicht mit lachenden Augen	erröten freude freundlich glücklich rot wangen
😇	lächelndes Gesicht mit Heiligenschein	brav engel glücklich lieb seelig smiley
🥰	lächelndes Gesicht mit Herzen	3 anhimmeln bewundern hdgdl hdl herzchen lieb liebe smiley verknallt verliebt verzückt
😍	lächelndes Gesicht mit herzförmigen Augen	glücklich herzen liebe smiley verliebt
🤩	überwältigt	aufgeregt augen gesicht grinsen smiley star stern wow
😘	Kuss zuwerfendes Gesicht	flirten küsschen küssen lieb smiley
😗	küssendes Gesicht	flirten hdl knutsch kuss smiley xoxo
☺️	lächelndes Gesicht	fröhlich rot smiley wangen
😚	küssendes Gesicht mit geschlossenen Augen	knutsch kuss küsschen rot smiley wangen
😙	küssendes Gesicht mit lächelnden Augen	flirten knutsch kuss smiley
🥲	lachendes Gesicht mit Träne	berührt dankbar erleichtert freudenträne gerührt lächeln smiley stolz
😋	sich die Lippen leckendes Gesicht	lecker leckeres essen lächeln sich die lippen leckender smiley smiley zunge
😛	Gesicht mit herausgestreckter Zunge	bäh lachen lustig smiley ätsch
😜	zwinkerndes Gesicht mit herausgestreckter Zunge	auge herausstrecken smiley zudrücken zugedrückt
🤪	irres Gesicht	auge augen groß klein smiley verrückt
😝	Gesicht mit herausgestreckter Zunge und zusammengekniffenen Augen	bäh ekel herausstrecken igitt schmeck schrecklich smiley zusammenkneifen
🤑	Gesicht mit Dollarzeichen	geld mund smiley zunge
🤗	Gesicht mit umarmenden Händen	drücken smiley umarmung
🤭	verlegen kicherndes Gesicht	haha hand hihi huch lachen mund rot smiley wangen
🫢	Gesicht mit offenen Augen und Hand über dem Mund	erschrecken erstaunen furcht geschockt omg schock smiley unglauben verlegenheit überraschung
🫣	Gesicht mit durch die Finger linsendem Auge	gebannt hervorlugen schüchtern smiley spähen starren verlegen
🤫	ermahnendes Gesicht	finger leise psst pst ruhe ruhig sch smiley
🤔	nachdenkendes Gesicht	fragen grübeln hm komisch nachdenklich smiley wundern
🫡	salutierendes Gesicht	aye jawohl jawoll militär ok respekt smiley zu befehl
🤐	Gesicht mit Reißverschlussmund	geheimnis halten schweigen smiley wahren
🤨	Gesicht mit hochgezogenen Augenbrauen	argwöhnisch misstrauen skeptisch smiley stutzig zweifel
😐	neutrales Gesicht	ausdruckslos kommentarlos smiley todernst unbeeindruckt
😑	ausdrucksloses Gesicht	kommentarlos selbstgefällig smiley unbeeindruckt unglaublich
😶	Gesicht ohne Mund	kein smiley sprachlos
🫥	gestricheltes Gesicht	depressiv deprimiert egal introvertiert smiley traurig unsichtbar verschwinden verstecken
😶‍🌫️	Gesicht in Wolken	geistesabwesend gesicht im nebel kopf in wolken
😏	süffisant lächelndes Gesicht	feixen flirten mundwinkel schief smiley
😒	verstimmtes Gesicht	langweilig smiley traurig unglücklich unzufrieden
🙄	Augen verdrehendes Gesicht	genervt meinetwegen nerv ohje rollen smiley verrollen
😬	Grimassen schneidendes Gesicht	peinlich smiley verziehen zähne
😮‍💨	Gesicht, das ausatmet	ausatmen erleichtert erschöpft husten puh pusten schnaufen seufz seufzen smiley
🤥	lügendes Gesicht	nase pinocchio schwindel
🫨	zitterndes Doppelgesicht	erdbeben omg panik schock smiley verrückt vibrieren wow überrascht
😌	erleichtertes Gesicht	augen entspannt geschlossen smiley zen zufrieden
😔	nachdenkliches Gesicht	enttäuscht schrecklich smiley traurig verlieren verloren
😪	schläfriges Gesicht	gute müde nacht smiley traurig
🤤	sabberndes Gesicht	smiley
😴	schlafendes Gesicht	dösen einschlafen gute nacht gähnen langweilig mittagsschlaf müde nickerchen smiley zzz
😷	Gesicht mit Atemschutzmaske	arzt bazillen erkältet krank krankheit mund mundschutz smiley viren virus
🤒	Gesicht mit Fieberthermometer	krank messen smiley
🤕	Gesicht mit Kopfverband	aua autsch schmerzen smiley verletzung
🤢	würgendes Gesicht	ekel eklig erbrechen grün igitt smiley widerlich übelkeit übergeben
🤮	kotzendes Gesicht	brechen erbrechen krank schlecht smiley speien spucken übel übergeben
🤧	niesendes Gesicht	erkältet erkältung gesundheit grippe hatschi krank nase putzen smiley taschentuch
🥵	schwitzendes Gesicht	erhitzt fieber fiebrig heiß herausstrecken hitze hitzschlag rot schnaufen smiley zunge
🥶	frierendes Gesicht	bibbern blau eisig erfrieren frostig frösteln kalt smiley unter null zittern zähne zähneklappern
🥴	schwindeliges Gesicht	angeheitert angeschwipst angetrunken benebelt berauscht beschwipst betrunken gewellt mund schwindlig smiley
😵	benommenes Gesicht	augen ko krank kreuze schwindelig schwindlig smiley
😵‍💫	Gesicht mit Spiralen als Augen	hypnose hypnotisiert höhenangst omg schwindelig schwindlig smiley verwirrt wirr
🤯	explodierender Kopf	entsetzt geschockt gesicht schock schockiert smiley unglaublich überwältigt
🤠	Gesicht mit Cowboyhut	cowgirl smiley
🥳	Partygesicht	aufgeregt feier fest fröhlich geburtstag glückwunsch hurra hut smiley überraschung
🥸	verkleidet	brille gesicht incognito inkognito maske nase nasenbrille person smiley spionieren verdeckt verkleidung
😎	lächelndes Gesicht mit Sonnenbrille	cool smiley
🤓	Strebergesicht	brille intelligent klug nerd schlau schlaumeier smart smiley
🧐	Gesicht mit Monokel	elegant reich smiley
😕	verwundertes Gesicht	keine ahnung smiley traurig verwirrt weiß nicht
🫤	Gesicht mit schrägem Mund	enttäuscht genervt hmpf keine ahnung langweilig skeptisch smiley unsicher zweifelnd
😟	besorgtes Gesicht	smiley sorgen traurig
🙁	betrübtes Gesicht	schade smiley traurig
☹️	düsteres Gesicht	deprimiert smiley stirnrunzelnd traurig
😮	Gesicht mit offenem Mund	erstaunt omg schockiert unglaublich vergessen wow
😯	verdutztes Gesicht	erstaunt omg smiley sprachlos
😲	erstauntes Gesicht	nee omg schockiert smiley verwundert
😳	errötetes Gesicht mit großen Augen	erröten peinlich rot scham schämen smiley verlegen wangen überrascht
🥺	bettelndes Gesicht	anflehen augen bitte bitten flehend groß kulleraugen smiley traurig welpenaugen
🥹	Gesicht, das Tränen zurückhält	aufgebracht dankbar freude freudentränen gerührt rührung smiley stolz weinen zurückhalten
😦	entsetztes Gesicht	mund offen schockiert smiley verwundert
😧	qualvolles Gesicht	arm leidend smiley vergessen wow
😨	ängstliches Gesicht	angst besorgt
😰	besorgtes Gesicht mit Schweißtropfen	angst angstschweiß mund nervös offen ängstlich
😥	trauriges aber erleichtertes Gesicht	enttäuscht knapp schweiß ängstlich
😢	weinendes Gesicht	smiley traurig träne
😭	heulendes Gesicht	flennen schluchzen smiley traurig tränen tränenfluss weinen
😱	vor Angst schreiendes Gesicht	munch omg panik ängstlich
😖	verwirrtes Gesicht	bestürzt frustriert konfus smiley verzweifelt
😣	entschlossenes Gesicht	ausdauernd durchhalten fokus konzentration konzentrieren kopfschmerzen
😞	enttäuschtes Gesicht	leider schade smiley traurig verloren
😓	bedrücktes Gesicht mit Schweiß	angstschweiß augen geschlossen kopfschmerzen smiley
😩	erschöpftes Gesicht	fehlschlag hungrig müde nein smiley unglücklich
😫	müdes Gesicht	niesen smiley traurig
🥱	gähnendes Gesicht	gelangweilt langweilig müde schnarch smiley zzz öde
😤	schnaubendes Gesicht	erleichtert gewonnen
😡	schmollendes Gesicht	rot rot angelaufener smiley wütend
😠	verärgertes Gesicht	böse smiley wut wütend zornig ärgern
🤬	Gesicht mit Symbolen über dem Mund	fluchen schimpfen schimpfwort smiley verdammt wut wütend zensur ärger ärgern
😈	grinsendes Gesicht mit Hörnern	böse dämon dämonin fantasie lila märchen satan smiley teufel violett
👿	wütendes Gesicht mit Hörnern	böse dämon dämonin fantasie fantasy kobold lila märchen satan teufel teufelchen violett
💀	Totenkopf	gesicht knochen märchen schädel tod yolo
☠️	Totenkopf mit gekreuzten Knochen	gesicht piratenflagge schädel tod
💩	Kothaufen	mist
🤡	Clown-Gesicht
👹	Ungeheuer	gesicht gruselig japan japanisch maske monster märchen oger
👺	Kobold	gemein gesicht japan japanisch maske monster märchen tengu ungeheuer wütend
👻	Gespenst	buh fantasy geist gesicht gruselig halloween märchen spuk zunge
👽	Außerirdischer	alien all fantasy gesicht monster märchen ufo weltraum wesen
👾	Computerspiel-Monster	gesicht ufo
🤖	Roboter	gesicht monster robotergesicht roboterkopf
😺	grinsende Katze	gesicht katzengesicht lachen lol lustig mund offen smiley tier
😸	grinsende Katze mit lachenden Augen	gesicht katzengesicht smiley tier
😹	Katze mit Freudentränen	gesicht katzengesicht lachen smiley tier
😻	lachende Katze mit Herzen als Augen	gesicht herzaugen katzengesicht liebe lächeln smiley tier verliebt
😼	verwegen lächelnde Katze	gesicht grinsen ironisch katzengesicht lachen smiley tier
😽	küssende Katze	augen geschlossen gesicht katzengesicht kuss küsschen rot smiley tier wangen
🙀	erschöpfte Katze	angst gesicht katzengesicht panik schock schockiert schrei schreien smiley tier überrascht
😿	weinende Katze	gesicht katzengesicht smiley tier traurig träne
😾	schmollende Katze	gesicht katzengesicht schmollmund smiley tier verärgert
🙈	sich die Augen zuhaltendes Affengesicht	böse geheimnis gemein geste nein omg sehen tier verboten vergessen verstecken
🙉	sich die Ohren zuhaltendes Affengesicht	böse geheimnis gemein geste hören nein tier verboten zuhören
🙊	sich den Mund zuhaltendes Affengesicht	böse geheimnis gemein geste hand heimlich leise nein sagen sprechen still tier ups verboten
💌	Liebesbrief	herz post siegel
💘	Herz mit Pfeil	liebe
💝	Herz mit Schleife	hochzeitstag jahrestag küsschen küsse liebe valentinstag xoxo
💖	funkelndes Herz	aufregung gefühl glitzern liebe morgen nacht rosa xoxo
💗	wachsendes Herz	aufregung gefühl herzschlag küsschen küsse liebe nervosität nervös puls xoxo
💓	schlagendes Herz	gefühl herzschlag liebe puls pulsieren
💞	kreisende Herzen	emotion gefühl hochzeitstag jahrestag liebe süß
💕	zwei Herzen	date gefühl hochzeitstag jahrestag küsschen küsse liebe rendezvous xoxo
💟	Herzdekoration	emotion gefühl liebe lila violett weiß
❣️	Herz als Ausrufezeichen	satzzeichen
💔	gebrochenes Herz	allein gefühl herzschmerz liebeskummer schmerz traurig trennung zerbrochen
❤️‍🔥	Herz in Flammen	brennendes herz leidenschaft liebe
❤️‍🩹	Herz mit Verband	besserung genesen
❤️	rotes Herz
🩷	pinkes Herz	gefallen gefällt gefühl liebe mag mögen niedlich rosa süß verliebt
🧡	oranges Herz	liebe
💛	gelbes Herz	gefühl herzlich liebe
💚	grünes Herz	gefühl liebe romantisch
💙	blaues Herz	gefühl liebe romantisch
🩵	hellblaues Herz	aquamarin emotion gefallen gefällt gefühl hdl liebe mag mögen niedlich süß türkis zyan
💜	lila Herz	beste gefühl hdl liebe lilafarben violett
🤎	braunes Herz
🖤	schwarzes Herz	böse
🩶	graues Herz	emotion hdl liebe schieferfarben silber silberfarben
🤍	weißes Herz
💋	Kussabdruck	gefühl knutsch küssen liebe lippen lippenstift romantisch sexy
💯	100 Punkte	punktestand volle punktzahl
💢	Ärger	comic wut
💥	Zusammenstoß	bombe boom comic explodieren explosion kollidieren kollision zusammenstoßen
💫	schwindlig	benommen benommenheit comic komet stern sterne sternschnuppe
💦	Schweißtropfen	comic feucht nass schwitzen trainieren training wasser
💨	Staubwolke	comic rennen weglaufen
🕳️	Loch	schwarz
💬	Sprechblase mit drei Punkten	comic dialog gespräch unterhaltung
👁️‍🗨️	Auge in Sprechblase	dialog reden sprechen zeuge
🗨️	Sprechblase links	dialog reden sprechen unterhaltung
🗯️	Sprechblase für wütende Aussage rechts
💭	Gedankenblase	comic nachdenken
💤	Schlafen	buchstaben comic gähn langweilig müde nickerchen schnarchen zzz öde
👋	winkende Hand	auf wiedersehen bis später ciao guten tag hallo hey hi tschüs tschüss
🤚	erhobene Hand von hinten	erhobener handrücken
🖐️	Hand mit gespreizten Fingern	5 fünf
✋	erhobene Hand	5 halt handfläche high five schlag ein stopp warte
🖖	vulkanischer Gruß	finger grüßen hand hände spreizen
🫱	nach rechts weisende Hand	ausgestreckt ausstrecken hände händeschütteln reichen schütteln
🫲	nach links weisende Hand	ausgestreckt ausstrecken hände händeschütteln reichen schütteln
🫳	Hand mit Handfläche nach unten	abweisen fallen lassen fallenlassen handgeste hau ab verscheuchen wegscheuchen wegschicken
🫴	Hand mit Handfläche nach oben	anbieten angebot darbieten einladen entgegenstrecken handgeste kommen locken reichen
🫷	nach links schiebende Hand	drücken halt high 5 high five moment nein schluss stopp warte mal warten
🫸	nach rechts schiebende Hand	drücken halt high 5 high five moment nein schluss stopp warte mal warten
👌	OK-Zeichen	exzellent finger genial hand in ordnung natürlich perfekt super
🤌	zusammengedrückte Finger	bündelhand fingerspitzen gehts noch geste hand handgeste italienisch was zusammengelegt
🤏	Wenig-Geste	betrag finger gering hand klein menge unbedeutend winzig
✌️	Victory-Geste	sieg
🤞	Hand mit gekreuzten Fingern
🫰	Hand mit gekreuztem Zeigefinger und Daumen	fingerherz geld handgeste kosten teuer
🤟	Ich-liebe-dich-Geste	drei finger hand hdl
🤘	Teufelsgruß	corna finger hand heavy hörner mano cornuta metal metalhand pommesgabel rock yeah
🤙	Ruf-mich-an-Handzeichen	anruf anrufen shaka
👈	nach links weisender Zeigefinger	handrückseite zeigen
👉	nach rechts weisender Zeigefinger	handrückseite zeigen
👆	nach oben weisender Zeigefinger von hinten	aufwärts handrücken handrückseite hier hinauf melden rauf zeigen
🖕	Mittelfinger	hand
👇	nach unten weisender Zeigefinger	abwärts handrücken handrückseite hinab hinunter runter zeigen
☝️	nach oben weisender Zeigefinger von vorne	hand handvorderseite hier melden zeigen
🫵	auf Betrachter zeigender Zeigefinger	deuten du fingerzeig hand handgeste sie stupsen
👍	Daumen hoch	einverstanden finger gut hand in ordnung jawohl klar klasse like nach oben ok super top
👎	Daumen runter	hand nach unten schlecht
✊	erhobene Faust	hand kampf solidarität
👊	geballte Faust	absolut bro hand korrekt zustimmen
🤛	Faust nach links	hand
🤜	Faust nach rechts	hand
👏	klatschende Hände	applaudieren applaus beifall gratulation großartig gut hand toll
🙌	zwei erhobene Handflächen	feiern geste hurra hände
🫶	Hände, die Herz bilden	<3 finger geste handgeste handherz hdl händeherz liebe
👐	offene Hände	jazz umarmen umarmung
🤲	Handflächen nach oben	beten gebet hände zusammen
🤝	Handschlag	hände händeschütteln vereinbarung
🙏	zusammengelegte Handflächen	beten betend bitten danke danken gebet gefaltet grüßen
✍️	schreibende Hand	stift
💅	Nagellack	kosmetik maniküre nagelpflege
🤳	Selfie	smartphone
💪	angespannter Bizeps	arm bodybuilder bro fitnessstudio gewichtheben muckies muskeln stark training
🦾	Armprothese	barrierefreiheit
🦿	Beinprothese	barrierefreiheit
🦵	Bein	extremität fuß gebeugtes knie gliedmaße knie körperglied körperteil treten tritt
🦶	Fuß	füße kick knöchel körperteil stampfen treten tritt
👂	Ohr	hören körperteil
🦻	Ohr mit Hörgerät	barrierefreiheit gehörlos hilfsgerät hörhilfe schwerhörig taub
👃	Nase	körperteil riechen
🧠	Gehirn	intelligent intelligenz klug schlau
🫀	Herz (Organ)	anatomie herzschlag körper körperteil mensch puls schlagen
🫁	Lunge	atem atmen ausatmen einatmen körper körperteil lungenflügel mensch organ
🦷	Zahn	perlweiß weiß zahnarzt zahnärztin zähne
🦴	Knochen	hund hundeknochen kauknochen skelett
👀	Augen	gesicht gucken schauen sehen
👁️	Auge	blick körper körperteil schauen sehen
👅	Zunge	hmm körperteil lecken lecker mmh ätsch
👄	Mund	kuss körperteil lippen lippenstift
🫦	auf Lippe beißen	angst besorgt flirten flirtend kuss lippenstift mund nervös sexy unbehaglich zähne ängstlich
👶	Baby	gesicht jung kind kleinkind locke
🧒	Kind	enkelkind jung jünger munter strahlend
👦	Junge	enkelsohn gesicht jünger kind munter sohn strahlend
👧	Mädchen	enkeltochter gesicht jung jünger kind munter strahlend tochter
🧑	Person	erwachsen erwachsene person mensch
👱	Person: blondes Haar	blondhaarig gesicht mensch
👨	Mann	erwachsen gesicht
🧔	Person: Bart	bärtig schnurrbart
🧔‍♂️	Mann: Bart	mann mit bart
🧔‍♀️	Frau: Bart	frau mit bart
👨‍🦰	Mann: rotes Haar	erwachsen gesicht
👨‍🦱	Mann: lockiges Haar	erwachsen gesicht
👨‍🦳	Mann: weißes Haar	erwachsen gesicht
👨‍🦲	Mann: Glatze	erwachsen gesicht
👩	Frau	erwachsen gesicht
👩‍🦰	Frau: rotes Haar	erwachsen gesicht
🧑‍🦰	Person: rotes Haar	erwachsen erwachsene person mensch
👩‍🦱	Frau: lockiges Haar	erwachsen gesicht
🧑‍🦱	Person: lockiges Haar	erwachsen erwachsene person mensch
👩‍🦳	Frau: weißes Haar	erwachsen gesicht
🧑‍🦳	Person: weißes Haar	erwachsen erwachsene person mensch
👩‍🦲	Frau: Glatze	erwachsen gesicht
🧑‍🦲	Person: Glatze	erwachsen erwachsene person mensch
👱‍♀️	Frau: blond	blonde frau gesicht haar
👱‍♂️	Mann: blond	blonder mann gesicht haar
🧓	ältere Person	alt erwachsen großeltern mensch weise
👴	älterer Mann	alt erwachsen großeltern großvater mensch opa senior weise
👵	ältere Frau	alt erwachsen großeltern großmutter mensch oma seniorin weise
🙍	missmutige Person	frustriert gesicht runzeln stirnrunzelnd unzufrieden verärgert
🙍‍♂️	missmutiger Mann	frustriert gesicht runzeln stirnrunzelnd unzufrieden verärgert
🙍‍♀️	missmutige Frau	frustriert gesicht runzeln stirnrunzelnd unzufrieden verärgert
🙎	schmollende Person	eingeschnappt enttäuscht jammerd jammern verärgert
🙎‍♂️	schmollender Mann	eingeschnappt enttäuscht jammerd jammern verärgert
🙎‍♀️	schmollende Frau	eingeschnappt enttäuscht jammerd jammern verärgert
🙅	Person mit überkreuzten Armen	gesicht nein nicht verbieten verboten
🙅‍♂️	Mann mit überkreuzten Armen	gesicht nein nicht verbieten verboten
🙅‍♀️	Frau mit überkreuzten Armen	gesicht
🙆	Person mit Händen auf dem Kopf	geste oje ok omg über kopf übung
🙆‍♂️	Mann mit Händen auf dem Kopf	geste oje ok omg über kopf übung
🙆‍♀️	Frau mit Händen auf dem Kopf	geste oje ok omg über kopf übung
💁	Infoschalter-Mitarbeiter(in)	abgekippt beleidigen gerüchte geste hand klatsch klatschen person sarkasmus sarkastisch tratsch tratschen
💁‍♂️	Infoschalter-Mitarbeiter	abgekippt beleidigen gerüchte geste hand klatsch klatschen mann sarkasmus sarkastisch tratsch tratschen
💁‍♀️	Infoschalter-Mitarbeiterin	auskunft frau informationen
🙋	Person mit erhobenem Arm	aufzeigen drankommen drannehmen frage geste hand heben hier ich sich melden wissen
🙋‍♂️	Mann mit erhobenem Arm	aufzeigen drankommen drannehmen frage geste hand heben hier ich sich melden wissen
🙋‍♀️	Frau mit erhobenem Arm	aufzeigen drankommen drannehmen frage geste hand heben hier ich sich melden wissen
🧏	gehörlose Person	barrierefreiheit hören ohr schwerhörig taub
🧏‍♂️	gehörloser Mann	taub
🧏‍♀️	gehörlose Frau	taub
🙇	sich verbeugende Person	bedauern bitten demut entschuldigung geste kniefall meditation meditieren sorry unterwerfen verzeihung
🙇‍♂️	sich verbeugender Mann	demut
🙇‍♀️	sich verbeugende Frau	bedauern bitten demut entschuldigung geste kniefall meditation meditieren sorry unterwerfen verzeihung
🤦	sich an den Kopf fassende Person	frustriert genervt gesicht oh nein omg unfassbar unglaublich verzweifelt
🤦‍♂️	sich an den Kopf fassender Mann	frustriert genervt gesicht oh nein omg unfassbar unglaublich verzweifelt
🤦‍♀️	sich an den Kopf fassende Frau	frustriert genervt gesicht oh nein omg unfassbar unglaublich verzweifelt
🤷	schulterzuckende Person	egal gleichgültig keine ahnung schultern zucken weiß nicht zweifel
🤷‍♂️	schulterzuckender Mann	egal gleichgültig keine ahnung schultern zucken weiß nicht zweifel
🤷‍♀️	schulterzuckende Frau	egal gleichgültig keine ahnung schultern zucken weiß nicht zweifel
🧑‍⚕️	Arzt/Ärztin	arztkittel doktor(in)
👨‍⚕️	Arzt	arztkittel doktor krankenpfleger pfleger
👩‍⚕️	Ärztin	arztkittel doktor krankenschwester pflegerin
🧑‍🎓	Student(in)	absolvent(in) doktorhut uni
👨‍🎓	Student	absolvent diplom doktorhut uni
👩‍🎓	Studentin	abschluss absolventin diplom doktorhut uni
🧑‍🏫	Lehrer(in)	dozent(in) professor(in)
👨‍🏫	Lehrer	dozent mann professor tafel
👩‍🏫	Lehrerin	dozentin frau professorin
🧑‍⚖️	Richter(in)	waage
👨‍⚖️	Richter	gerechtigkeit mann recht
👩‍⚖️	Richterin	frau gerechtigkeit recht
🧑‍🌾	Bauer/Bäuerin	farmer(in) gärtner(in) landwirt(in)
👨‍🌾	Bauer	farmer gärtner landwirt rancher ähre
👩‍🌾	Bäuerin	farmerin gärtnerin landwirtin ähre
🧑‍🍳	Koch/Köchin	kochen
👨‍🍳	Koch	kochen restaurant
👩‍🍳	Köchin	kochen
🧑‍🔧	Mechaniker(in)	elektriker(in) klempner(in)
👨‍🔧	Mechaniker	elektriker handwerker klempner mann
👩‍🔧	Mechanikerin	elektrikerin frau handwerkerin klempnerin
🧑‍🏭	Fabrikarbeiter(in)	industriell montage
👨‍🏭	Fabrikarbeiter	helm
👩‍🏭	Fabrikarbeiterin	frau helm
🧑‍💼	Büroangestellte(r)	architekt(in) business manager(in) schlips und kragen
👨‍💼	Büroangestellter	manager mann
👩‍💼	Büroangestellte	frau managerin mangerin
🧑‍🔬	Wissenschaftler(in)	forscher(in) labor
👨‍🔬	Wissenschaftler	chemie forscher labor
👩‍🔬	Wissenschaftlerin	forscherin frau labor
🧑‍💻	IT-Experte/IT-Expertin	bildschirm computer entwickler(in)
👨‍💻	IT-Experte	arbeit bildschirm büro computer entwickler mann office
👩‍💻	IT-Expertin	arbeit bildschirm büro computer entwickler entwicklerin frau laptop office
🧑‍🎤	Sänger(in)	entertainer(in) rock star
👨‍🎤	Sänger	mann mikrofon popstar schauspieler
👩‍🎤	Sängerin	frau mikrofon popstar schauspielerin
🧑‍🎨	Künstler(in)	farbpalette maler(in)
👨‍🎨	Künstler	farbpalette maler mann
👩‍🎨	Künstlerin	farbpalette frau malerin
🧑‍✈️	Pilot(in)	flugzeug
👨‍✈️	Pilot	flugzeug mann
👩‍✈️	Pilotin	flieger flugzeug frau
🧑‍🚀	Astronaut(in)	raumfahrt weltraum
👨‍🚀	Astronaut	mann raumfahrt weltraum
👩‍🚀	Astronautin	frau raumfahrt weltraum
🧑‍🚒	Feuerwehrmann/-frau	feuerwehrhelm
👨‍🚒	Feuerwehrmann	feuerwehrhelm
👩‍🚒	Feuerwehrfrau	feuerwehrhelm
👮	Polizist(in)	beruf festnehmen gesetzeshüter gesicht person polizei polizistin uniform verhaften
👮‍♂️	Polizist	mann polizei
👮‍♀️	Polizistin	beruf festnehmen frau gesetzeshüterin person polizei uniform verhaften
🕵️	Detektiv(in)	lupe sherlock spion
🕵️‍♂️	Detektiv	mann spion
🕵️‍♀️	Detektivin	frau spionage spionin
💂	Wache	buckingham palace bärenfellmütze gesicht london wachfrau wachmann wachsoldat wachsoldatin wächter
💂‍♂️	Wachsoldat	buckingham palace wache
💂‍♀️	Wachsoldatin	buckingham buckingham palace guard helm london palast wache wächter
🥷	Ninja	ausdauer geheimmission killer krieger kunoichi kämpfer mörder person shinobi soldat vermummt
👷	Bauarbeiter(in)	bauarbeiterin beruf gesicht helm person schutzhelm umbauen
👷‍♂️	Bauarbeiter	baustelle helm
👷‍♀️	Bauarbeiterin	baustelle frau helm mann
🫅	Person mit Krone	adelig krönung könig königin königlich königliche hoheit monarch monarchin prinz prinzessin
🤴	Prinz	krone
👸	Prinzessin	gesicht krone märchen
👳	Person mit Turban	bart dreitagebart
👳‍♂️	Mann mit Turban	gesicht
👳‍♀️	Frau mit Turban	gesicht
👲	Mann mit chinesischem Hut	china gesicht kappe mütze person
🧕	Frau mit Kopftuch	hidschab hijab mantilla person tichel
🤵	Person im Smoking	anzug bräutigam formell mann vornehm
🤵‍♂️	Mann im Smoking
🤵‍♀️	Frau im Smoking
👰	Person mit Schleier	braut braut mit schleier gesicht hochzeit
👰‍♂️	Mann mit Schleier
👰‍♀️	Frau mit Schleier
🤰	schwangere Frau
🫃	schwangerer Mann	aufgebläht bauch dick person zu viel gegessen überfressen
🫄	schwangere Person	aufgebläht bauch dick dicker bauch schwangerschaft zu viel gegessen überfressen
🤱	Stillen	baby brust frau person
👩‍🍼	Frau, die Baby die Flasche gibt	eltern flasche geben flasche gebende frau füttern mama milch mutter neugeborenes person säugling
👨‍🍼	Mann, der Baby die Flasche gibt	flasche geben flasche gebender mann füttern
🧑‍🍼	Person, die Baby die Flasche gibt	flasche geben flasche gebende person
👼	Putte	engel gesicht kind märchen
🎅	Weihnachtsmann	weihnachten
🤶	Weihnachtsfrau	weihnachten
🧑‍🎄	Weihnachtsperson	gesicht gesicht mit hut santa claus weihnachten weihnachtsfrau weihnachtshut weihnachtsmann weihnachtsmütze
🦸	Superheld(in)	person superheldin superkraft superkräfte superman umhang übermensch
🦸‍♂️	Superheld
🦸‍♀️	Heldin	superheldin
🦹	Bösewicht	bösewichtin krimineller person schurke schurkin superkräfte superschurke superschurkin verbrecher
🦹‍♂️	männlicher Bösewicht
🦹‍♀️	weiblicher Bösewicht
🧙	Magier(in)	hexe hexenmeister magiker person zauberer zauberin zaubern zauberspruch zauberstab
🧙‍♂️	Magier	hexenmeister zauberer
🧙‍♀️	Magierin	hexe zauberin
🧚	Märchenfee	elf elfe fantasy flügel geflügelt mystisch person wesen
🧚‍♂️	männliche Fee	oberon puck zauberer
🧚‍♀️	Fee	titania
🧛	Vampir	blutsauger dracula halloween person reißzähne untot untoter zähne
🧛‍♂️	männlicher Vampir	dracula untoter
🧛‍♀️	weiblicher Vampir	untoter
🧜	Wassermensch	meerjungfrau meermann märchen nixe person sirene wasserfrau wassermann
🧜‍♂️	Wassermann	triton
🧜‍♀️	Meerjungfrau	nixe wasserfrau
🧝	Elf(e)	elbe elben elbin elfe fantasy herr der ringe magie magisch person
🧝‍♂️	Elf	alb elbe magisch
🧝‍♀️	Elfe	elbin magisch
🧞	Flaschengeist	aladdin aladin dschinn lampe person wunderlampe wünsche
🧞‍♂️	männlicher Flaschengeist	dschinn
🧞‍♀️	weiblicher Flaschengeist	dschinn
🧟	Zombie	apokalypse halloween horror person untot untoter walking dead wandelnder toter
🧟‍♂️	männlicher Zombie	untoter wandelnder toter
🧟‍♀️	weiblicher Zombie	untote wandelnde tote
🧌	Troll	fantasy gruslig kobold monster märchen ork ungeheuer
💆	Person, die eine Kopfmassage bekommt	behandlung entspannen kopfschmerzen migräne salon spa therapie
💆‍♂️	Mann, der eine Kopfmassage bekommt	entspannen kopfschmerzen salon
💆‍♀️	Frau, die eine Kopfmassage bekommt	behandlung entspannen entspannend gesicht kopfschmerzen kopfweh lindern relaxen salon spa therapie verspannung
💇	Person beim Haareschneiden	friseur friseurin friseuse frisur frisör frisörin haarschnitt schere
💇‍♂️	Mann beim Haareschneiden	friseur frisur haarschnitt salon schere
💇‍♀️	Frau beim Haareschneiden	friseur haarschnitt schere
🚶	Fußgänger(in)	fußgängerin gehen gehend person schlendern schlurfen wandern
🚶‍♂️	Fußgänger	gehen mann spaziergang
🚶‍♀️	Fußgängerin	frau gehen schlendern spazieren spaziergang
🧍	stehende Person	mensch stand
🧍‍♂️	stehender Mann
🧍‍♀️	stehende Frau
🧎	kniende Person	fersensitz meditation meditieren mensch seiza zazen
🧎‍♂️	kniender Mann
🧎‍♀️	kniende Frau
🧑‍🦯	Person mit Langstock	barrierefreiheit blind person mit blindenstock
👨‍🦯	Mann mit Langstock	barrierefreiheit behinderung blind mann mit blindenstock mann mit gehstock mensch person sehbehindert
👩‍🦯	Frau mit Langstock	barrierefreiheit behinderung blind frau mit blindenstock frau mit gehstock mensch person
🧑‍🦼	Person in elektrischem Rollstuhl	barrierefreiheit
👨‍🦼	Mann in elektrischem Rollstuhl	barrierefreiheit behinderung mann in rollstuhl mensch person
👩‍🦼	Frau in elektrischem Rollstuhl	barrierefreiheit behinderung frau in rollstuhl mensch person
🧑‍🦽	Person in manuellem Rollstuhl	barrierefreiheit
👨‍🦽	Mann in manuellem Rollstuhl	barrierefreiheit behinderung mann in rollstuhl mensch person
👩‍🦽	Frau in manuellem Rollstuhl	barrierefreiheit behinderung frau in rollstuhl mensch person
🏃	laufende Person	eilig joggen läufer läuferin marathon rennen schnell sport
🏃‍♂️	laufender Mann	joggen jogger marathon
🏃‍♀️	laufende Frau	athlet athletin joggen joggerin läufer läuferin marathon rennen renner rennerin rennt schell
💃	tanzende Frau	elegant festlich flair flamenco salsa schwung tango tänzerin
🕺	tanzender Mann	elegant festlich flair flamenco salsa schwung tango tänzer
🕴️	schwebender Mann im Anzug	geschäftlich
👯	Personen mit Hasenohren	bunny bunnys doppelt leute party seelenverwandt tanzen tänzerinnen zwillinge
👯‍♂️	Männer mit Hasenohren	bunnys party tanzen zwillinge
👯‍♀️	Frauen mit Hasenohren	bunnys party
🧖	Person in Dampfsauna	abschalten dampfbad entspannen frau luxuriös relaxen spa
🧖‍♂️	Mann in Dampfsauna
🧖‍♀️	Frau in Dampfsauna
🧗	Bergsteiger(in)	fels kletterer klettern person sport
🧗‍♂️	Bergsteiger
🧗‍♀️	Bergsteigerin
🤺	Fechter(in)	fechten schwert sport
🏇	Pferderennen	jockey auf pferd schnell sport um die wette wetten
⛷️	Skifahrer(in)	schnee skifahrerin sport
🏂	Snowboarder(in)	snowboarden snowboarderin sport
🏌️	Golfer(in)	abschlagplatz golferin golfspieler golfspielerin person sport sportler sportlerin
🏌️‍♂️	Golfer	golfen golfspieler mann
🏌️‍♀️	Golferin	frau golfen golfspielerin
🏄	Surfer(in)	person sport surfboard surfbrett surfen surferin wassersport wellenreiten wellenreiter wellenreiterin
🏄‍♂️	Surfer	mann wellenreiten
🏄‍♀️	Surferin	frau sport strand surfbrett wellen wellenreiten
🚣	Person im Ruderboot	angeln kanu paddel rudern sport
🚣‍♂️	Mann im Ruderboot	rudern
🚣‍♀️	Frau im Ruderboot	bootfahrerin ruderin rudern see
🏊	Schwimmer(in)	kraulen person pool schwimmbecken schwimmen schwimmerin sport triathlon wasser
🏊‍♂️	Schwimmer	kraulen pool schwimmbad schwimmen
🏊‍♀️	Schwimmerin	frau kraulen pool schwimmbad schwimmen sport
⛹️	Person mit Ball	basketball basketballer basketballspieler basketballspielerin dribbeln sport sportler sportlerin
⛹️‍♂️	Mann mit Ball	ballsport handball
⛹️‍♀️	Frau mit Ball	ballsport basketball basketballspieler handball sport
🏋️	Gewichtheber(in)	gewichtheberin hantel muskeln person schwer sport stark training
🏋️‍♂️	Gewichtheber	gewicht heben mann
🏋️‍♀️	Gewichtheberin	frau gewicht heben gewichte heben gewichteheberin
🚴	Radfahrer(in)	fahrrad person radeln radfahren radfahrerin sport tour de france
🚴‍♂️	Radfahrer	fahrrad mann
🚴‍♀️	Radfahrerin	fahrrad fahrradfahrerin frau frauen radeln radlerin
🚵	Mountainbiker(in)	fahrrad mountainbikerin mountainbiking person rad radfahren radfahrer radfahrerin sport tour de france
🚵‍♂️	Mountainbiker	fahrrad mann rad
🚵‍♀️	Mountainbikerin	fahrrad fahrradfahrerin frau mountain bike mountain bikerin rad radeln radfahrerin sport
🤸	Rad schlagende Person	akrobatik bodenturnen gymnastik radschlag sport turner turnerin
🤸‍♂️	Rad schlagender Mann	akrobatik bodenturnen gymnastik person radschlag sport turner
🤸‍♀️	Rad schlagende Frau	akrobatik bodenturnen gymnastik person radschlag sport turnerin
🤼	Ringer(in)	catchen catcher person ringen ringkampf sport sportler wrestler wrestling
🤼‍♂️	ringende Männer	catchen catcher ringer ringkampf sport wrestler wrestling
🤼‍♀️	ringende Frauen	catchen catcherin person ringer ringerin ringkampf sport wrestlerin wrestling
🤽	Wasserballspieler(in)	person schwimmsport sport sportler sportlerin wasserballspielerin wassersport
🤽‍♂️	Wasserballspieler	mann person schwimmsport sport sportler wassersport
🤽‍♀️	Wasserballspielerin	frau person schwimmsport sport sportlerin wassersport
🤾	Handballspieler(in)	handballer handballerin handballspielerin person schleudern sport sportler werfen
🤾‍♂️	Handballspieler	mann sport
🤾‍♀️	Handballspielerin	frau handballerin person schleudern sport sportlerin werfen
🤹	Jongleur(in)	artist artistin geschickt jongleurin jongleuse jonglieren multitasking person zirkus
🤹‍♂️	Jongleur	artist entertainer geschickt jonglieren mann multitasking person unterhalter zirkus
🤹‍♀️	Jongleurin	frau geschickt jonglieren multitasking
🧘	Person im Lotossitz	burmesischer sitz frau lotussitz meditation person in lotussitz schneidersitz yoga zen
🧘‍♂️	Mann im Lotossitz	meditation yoga
🧘‍♀️	Frau im Lotossitz	meditation yoga
🛀	badende Person	badewanne badezimmer dusche entspannen
🛌	im Bett liegende Person	gute nacht heia müde nachtruhe schlaf schön schlafen zzz
🧑‍🤝‍🧑	sich an den Händen haltende Personen	händchen halten hände halten menschen paar pärchen
👭	Händchen haltende Frauen	paar pärchen aus frau und frau
👫	Mann und Frau halten Hände	händchen halten paar pärchen aus frau und mann
👬	Händchen haltende Männer	paar pärchen aus mann und mann zwillinge
💏	sich küssendes Paar	frau herz kuss mann
👩‍❤️‍💋‍👨	sich küssendes Paar: Frau, Mann	herz kuss
👨‍❤️‍💋‍👨	sich küssendes Paar: Mann, Mann	frau herz kuss
👩‍❤️‍💋‍👩	sich küssendes Paar: Frau, Frau	herz kuss mann
💑	Liebespaar	frau herz mann
👩‍❤️‍👨	Liebespaar: Frau, Mann	herz
👨‍❤️‍👨	Liebespaar: Mann, Mann	frau herz
👩‍❤️‍👩	Liebespaar: Frau, Frau	herz mann
👨‍👩‍👦	Familie: Mann, Frau und Junge	kind mutter vater
👨‍👩‍👧	Familie: Mann, Frau und Mädchen	junge kind mutter vater
👨‍👩‍👧‍👦	Familie: Mann, Frau, Mädchen und Junge	kind mutter vater
👨‍👩‍👦‍👦	Familie: Mann, Frau, Junge und Junge	kind mutter vater
👨‍👩‍👧‍👧	Familie: Mann, Frau, Mädchen und Mädchen	junge kind mutter vater
👨‍👨‍👦	Familie: Mann, Mann und Junge	kind mutter vater
👨‍👨‍👧	Familie: Mann, Mann und Mädchen	junge kind mutter vater
👨‍👨‍👧‍👦	Familie: Mann, Mann, Mädchen und Junge	kind mutter vater
👨‍👨‍👦‍👦	Familie: Mann, Mann, Junge und Junge	kind mutter vater
👨‍👨‍👧‍👧	Familie: Mann, Mann, Mädchen und Mädchen	junge kind mutter vater
👩‍👩‍👦	Familie: Frau, Frau und Junge	kind mutter vater
👩‍👩‍👧	Familie: Frau, Frau und Mädchen	junge kind mutter vater
👩‍👩‍👧‍👦	Familie: Frau, Frau, Mädchen und Junge	kind mutter vater
👩‍👩‍👦‍👦	Familie: Frau, Frau, Junge und Junge	kind mutter vater
👩‍👩‍👧‍👧	Familie: Frau, Frau, Mädchen und Mädchen	junge kind mutter vater
👨‍👦	Familie: Mann, Junge	kind mutter vater
👨‍👦‍👦	Familie: Mann, Junge und Junge	kind mutter vater
👨‍👧	Familie: Mann, Mädchen	junge kind mutter vater
👨‍👧‍👦	Familie: Mann, Mädchen und Junge	kind mutter vater
👨‍👧‍👧	Familie: Mann, Mädchen und Mädchen	junge kind mutter vater
👩‍👦	Familie: Frau, Junge	kind mutter vater
👩‍👦‍👦	Familie: Frau, Junge und Junge	kind mutter vater
👩‍👧	Familie: Frau, Mädchen	junge kind mutter vater
👩‍👧‍👦	Familie: Frau, Mädchen und Junge	kind mutter vater
👩‍👧‍👧	Familie: Frau, Mädchen und Mädchen	junge kind mutter vater
🗣️	sprechender Kopf	gesicht silhouette sprechende person
👤	Silhouette einer Büste	person
👥	Silhouette mehrerer Büsten	personen
🫂	sich umarmende Personen	abschied danke drücken drücker freundschaft hallo liebe tschüss umarmung
👪	Familie	junge kind mutter vater
👣	Fußabdrücke	abdruck auf dem weg fußabdruck`,
  `🐵	Affengesicht	banane dschungel tier zoo
🐒	Affe	tier
🦍	Gorilla	affe gesicht tier
🦧	Orang-Utan	affe tier
🐶	Hundegesicht	tier treu wau wuff
🐕	Hund	haustier tier wau wuff
🦮	Blindenhund	barrierefreiheit behinderung sehbehindert tier
🐕‍🦺	Assistenzhund	barrierefreiheit behinderung tier
🐩	Pudel	hund tier
🐺	Wolf	gesicht tier wolfsgesicht
🦊	Fuchs	fuchsgesicht gesicht tier
🦝	Waschbär	klug neugierig schlau tier
🐱	Katzengesicht	miau miez miezekatze tier
🐈	Katze	haustier miau tier
🐈‍⬛	schwarze Katze	kater miau pech schwarzer kater tier unglück
🦁	Löwe	gesicht löwengesicht sternzeichen tier tierkreis
🐯	Tigergesicht	raubkatze tier
🐅	Tiger	tier
🐆	Leopard	gepunktet punkte raubkatze raubtier tier zoo
🐴	Pferdegesicht	pferdekopf tier
🫎	Elch	geweih säugetier tier
🫏	Esel	austreten dickschädel dummkopf maultier stur störrisch säugetier tier
🐎	Pferd	rennen rennpferd tier
🦄	Einhorn	einhorngesicht gesicht
🦓	Zebra	streifen tier
🦌	Hirsch	gesicht tier
🦬	Bison	büffel herde ochse tier wisent
🐮	Kuhgesicht	tier
🐂	Ochse	kuh sternzeichen stier tier tierkreis
🐃	Wasserbüffel	tier
🐄	Kuh	bauernhof muh tier
🐷	Schweinegesicht	tier
🐖	Schwein	bauernhof sau tier
🐗	Wildschwein	eber tier
🐽	Schweinerüssel	nase tier
🐏	Widder	schaf sternzeichen tierkreis
🐑	Schaf	bock mäh tier widder wolle
🐐	Ziege	steinbock sternzeichen tier tierkreis
🐪	Dromedar	einhöckrig kamel tier wüste
🐫	Kamel	tier wüste zweihöckrig
🦙	Lama	alpaca alpaka anden kamel tier vicuña wolle
🦒	Giraffe	flecken tier
🐘	Elefant	tier
🦣	Mammut	aussterben groß natur stoßzahn tier wollig
🦏	Nashorn	rhinozeros tier
🦛	Nilpferd	flusspferd hippo tier
🐭	Mäusegesicht	maus mausgesicht nagetier tier
🐁	Maus	nage tier
🐀	Ratte	nagetier tier
🐹	Hamster	gesicht hamstergesicht tier
🐰	Hasengesicht	kaninchen karnickel langohr mümmelmann nager nagetier tier
🐇	Hase	kaninchen karnickel mümmelmann nagetier tier
🐿️	Streifenhörnchen	tier
🦫	Biber	biberschwanz biberzahn damm natur otter tier
🦔	Igel	stachelig stacheln tier
🦇	Fledermaus	tier vampir
🐻	Bär	bärengesicht gesicht tier
🐻‍❄️	Eisbär	arktis nordpol weiß
🐨	Koala	koalabär koalagesicht tier
🐼	Panda	gesicht pandabär pandagesicht tier
🦥	Faultier	langsam träge
🦦	Otter	fischen tier verspielt
🦨	Stinktier	skunk stinken
🦘	Känguru	australien beuteltier down under hüpfen quokka skippy springen tier wallaby
🦡	Dachs	dachse frechdachs honigdachs ratel tier
🐾	Tatzenabdrücke	abdruck tier
🦃	Truthahn	geflügel pute thanksgiving
🐔	Huhn	geflügel henne tier tierkopf
🐓	Hahn	tier
🐣	schlüpfendes Küken	ei küken in eierschale piep tier vogel
🐤	Küken	kükenkopf tier
🐥	Küken von vorne	geflügel küken in frontansicht tier
🐦	Vogel	papagei taube tier vogelkopf
🐧	Pinguin	pinguinkopf tier vogel
🕊️	Taube	fliegen friede frieden friedenstaube vogel
🦅	Adler	tier vogel
🦆	Ente	tier vogel
🦢	Schwan	hässliches entlein tier vogel
🦉	Eule	raubvogel tier uhu vogel weise
🦤	Dodo	aussterben dronte groß mauritius natur tier vogel
🪶	Feder	federleicht federn fliegen gefieder leicht vogelfeder
🦩	Flamingo	bunt farbenfroh rosa tier tropen tropisch vogel
🦚	Pfau	bunt stolz stolzieren tier vogel
🦜	Papagei	ausplaudern pirat plappern sprechen tier vogel wiederholen
🪽	Flügel	engel engelsflügel federn fliegen flug himmlisch mythologie vogel
🐦‍⬛	schwarzer Vogel	amsel krächzen krähe rabe schnabel tier
🪿	Gans	blöd dumm dumme gans ganter geflügel gänserich schnattern tier vogel
🐸	Frosch	froschgesicht gesicht grün quak tier
🐊	Krokodil	reptil schnappi tier
🐢	Schildkröte	tier
🦎	Eidechse	reptil
🐍	Schlange	schlangenträger sternzeichen tier tierkreis
🐲	Drachengesicht	märchen tier
🐉	Drache	chinesisch neujahr märchen tier
🦕	Sauropode	brachiosaurus brontosaurus dino dinosaurier diplodocus saurier
🦖	T-Rex	dino dinosaurier saurier tree tyrannosaurus rex
🐳	blasender Wal	meer ozean tier
🐋	Wal	ozean tier
🐬	Delfin	meer ozean strand tier
🦭	Seehund	meer ozean robbe seelöwe tier
🐟	Fisch	aquarium fische meehr sternzeichen tier tierkreis
🐠	Tropenfisch	tier
🐡	Kugelfisch	kugelrund meer tier
🦈	Hai	fisch haifisch meer tier
🐙	Oktopus	krake meer tier tintenfisch
🐚	Schneckenhaus	muschel strand tier
🪸	Koralle	great barrier reef klimawandel korallenriff meer ozean riff tier
🪼	Qualle	autsch brennen gallert glibber meer meeresbewohner meerestier nesseltier ozean tentakeln
🦀	Krebs	krabbe meer sternzeichen strand tierkreis
🦞	Hummer	lobster meeresfrucht meeresfrüchte meerestier scheren tier
🦐	Garnele	gourmet krustentier meeresfrucht shrimp
🦑	Tintenfisch	kalmar tier
🦪	Auster	meer muschel perle tauchen tier
🐌	Schnecke	langsam tier
🦋	Schmetterling	insekt schön
🐛	Raupe	gefräßig insekt tier
🐜	Ameise	insekt tier
🐝	Biene	honig honigbiene hummel insekt maja natur summ tier
🪲	Käfer	insekt krabbeltier minzkäfer tier wanze
🐞	Marienkäfer	glückskäfer insekt krabbel punkte tier
🦗	Grille	grashüpfer heuschrecke insekt tier zikade
🪳	Kakerlake	insekt krabbeln krabbeltier käfer küchenschabe la cucaracha schabe tier
🕷️	Spinne	insekt tier
🕸️	Spinnennetz
🦂	Skorpion	horoskop sternzeichen tierkreis
🦟	Mücke	biss fieber insekt insektenbiss insektenstich krankheit malaria moskito schnake stechmücke stich tier virus
🪰	Fliege	fliegen insekt krankheit made mücke plage schmeißfliege tier verwesen
🪱	Wurm	insekt natur parasit regenwurm ringelwurm tier
🦠	Mikrobe	amöbe amöben bakterie bakterien einzeller medizin virus wissenschaft
💐	Blumenstrauß	bouquet
🌸	Kirschblüte	blume kirsche pflanze
💮	Blumenstempel
🪷	Lotusblüte	blume buddhismus erleuchtung gleichmut hinduismus liebe lotosblume pflanze reinheit ruhe schönheit
🏵️	Rosette	pflanze
🌹	Rose	blume blüte pflanze
🥀	welke Blume	am sterben sterbend verwelkt welkende blume
🌺	Hibiskus	blume blüte pflanze rosa
🌻	Sonnenblume	blüte pflanze
🌼	gelbe Blüte	blume pflanze
🌷	Tulpe	blume blüte pflanze
🪻	Hyazinthe	blaue wiesenlupine blume blühen blüte frühling lavendel lila lupine löwenmaul pflanze violett
🌱	Spross	junge pflanze
🪴	Topfpflanze	dekor grünpflanze haus pflegen wachsen zimmerpflanze
🌲	Nadelbaum	pflanze tannenbaum
🌳	Laubbaum	blätter grün pflanze wald
🌴	Palme	baum kokusnuss oase pflanze strand tropen
🌵	Kaktus	dürre natur pflanze trockenzeit wüste
🌾	Reisähre	pflanze reispflanze
🌿	Kräuter	blätter pflanze
☘️	Kleeblatt	grün pflanze
🍀	Glücksklee	blatt kleeblatt pflanze silverster vier vierblättrig vierblättriges kleeblatt
🍁	Ahornblatt	herbst laub pflanze
🍂	Laub	blatt blätter fallendes laub herbst pflanze
🍃	Blätter im Wind	blatt laub pflanze
🪹	leeres Nest	heim nestbau nisten vogelnest zuhause
🪺	Nest mit Eiern	heim nest mit blauen eiern nestbau nisten vogelnest zuhause
🍄	Fliegenpilz	giftig`,
  `🍇	Trauben	frucht obst wein
🍈	Honigmelone	cantaloupe frucht obst
🍉	Wassermelone	frucht obst
🍊	Mandarine	apfelsine frucht obst orange vitamin
🍋	Zitrone	frucht obst sauer zitrusfrucht
🍌	Banane	frucht obst schale
🍍	Ananas	frucht obst
🥭	Mango	essen frucht früchte obst shaker tropisch
🍎	roter Apfel	frucht obst
🍏	grüner Apfel	frucht gesund obst
🍐	Birne	frucht obst
🍑	Pfirsich	frucht obst
🍒	Kirschen	frucht obst
🍓	Erdbeere	essen frucht obst
🫐	Blaubeeren	essen frucht heidelbeere heidelbeeren lebensmittel nahrung obst
🥝	Kiwi	frucht obst
🍅	Tomate	essen gemüse obst
🫒	Olive	essen grün lebensmittel nahrung olivenzweig olivenöl zweig
🥥	Kokosnuss	colada essen frucht palme piña
🥑	Avocado	essen frucht
🍆	Aubergine	gemüse
🥔	Kartoffel	essen gemüse
🥕	Karotte	gemüse mohrrübe möhre
🌽	Maiskolben	gemüse
🌶️	Peperoni	chili paprika pfeffer pflanze scharf
🫑	Paprika	essen gemüse gemüsepaprika grün lebensmittel nahrung peperoni
🥒	Gurke	essen gemüse scheiben
🥬	Blattgemüse	blattgrün essen grünkohl grünzeug kohl kraut mangold pak choi pok choi salat salatblatt spinat
🥦	Brokkoli	broccoli essen gemüse gemüsekohl kohl
🧄	Knoblauch	essen geschmack lebensmittel nahrung würze zutat
🧅	Zwiebel	essen geschmack gewürz lebensmittel nahrung würze
🥜	Erdnuss	essen
🫘	Bohnen	essen gemüse hülsenfrucht kidney-bohne kidneybohne lebensmittel
🌰	Kastanie	marone
🫚	Ingwer	gesund gewürz ginger ale ingwerbier scharf wurzel würzig
🫛	Erbsenschote	bohne edamame essen gemüse hülsenfrucht hülsenfrüchte
🍞	Brot	brotlaib essen kohlenhydrate laib brot toast weizen weißbrot
🥐	Croissant	corissant französisch frühstück frühstückshörnchen
🥖	Baguette	brot französisch frühstück
🫓	Fladenbrot	arepa essen lavasch lebensmittel naan nahrung pita
🥨	Brezel	brezen brezn essen gedreht oktoberfest
🥯	Bagel	backwaren brötchen bäckerei essen frühstück pausenbrot
🥞	Pfannkuchen	crepe eierpfannkuchen essen
🧇	Waffel	essen lebensmittel nahrung waffel mit butter
🧀	Käsestück
🍖	Fleischhachse	knochen restaurant
🍗	Hähnchenschenkel	fleisch geflügel hühnerbein restaurant
🥩	Fleischstück	essen kotelett lammkotelett rot schnitzel schweinekotelett steak
🥓	Bacon	essen frühstücksspeck speck speckstreifen
🍔	Hamburger	fast food restaurant
🍟	Pommes frites	fritten
🍕	Pizza	pizzastück pizzeria
🌭	Hotdog	essen frankfurter hot dog wurst würstchen
🥪	Sandwich	brot essen
🌮	Taco	essen mexikanisch
🌯	Burrito	essen mexikanisch
🫔	Tamale	burrito eingewickelt essen lebensmittel mexikanisch streetfood wrap
🥙	Döner	döner kebab falafel wrap
🧆	Falafel	bällchen essen fleischbällchen kichererbsen lebensmittel nahrung
🥚	Ei	frühstück frühstücksei
🍳	Spiegelei in Bratpfanne	braten kochen
🥘	Pfannengericht	essen paella reispfanne
🍲	Topf mit Essen	eintopf gericht schüssel suppe
🫕	Fondue	essen geschmolzen käse schokolade schweizerisch topf
🥣	Schüssel mit Löffel	brei cerealien essen frühstück haferbrei reisbrei suppe
🥗	Salat	blattgemüse essen gesund grün
🍿	Popcorn	kino snack
🧈	Butter	essen lebensmittel milchprodukt nahrung
🧂	Salz	gesalzen geschmack gewürz salzig salzstreuer würze zutat
🥫	Konserve	büchse dose essen
🍱	Bento-Box	japanisches essen sushi
🍘	Reiscracker
🍙	Reisbällchen	essen japanisch
🍚	Reis in Schüssel	essen
🍛	Reis mit Curry
🍜	Schüssel und Essstäbchen	chinesisches essen dampfend eiernudeln nudeln suppe
🍝	Spaghetti	essse nudeln mit tomatensoße pasta restaurant
🍠	geröstete Süßkartoffel	essen gemüse
🍢	Oden	japanisches gericht restaurant
🍣	Sushi	japanisches gericht restaurant
🍤	frittierte Garnele	restaurant tempura
🍥	Fischfrikadelle	restaurant spirale
🥮	Mondkuchen	essen fest festival herbst mondfest pinyin yuebing
🍡	Dango	japanisches gericht mochi-kugeln auf einem spieß restaurant
🥟	Teigtasche	chinesische teigtasche dumpling empanada essen gyōza jiaozi kloß pierogi potsticker
🥠	Glückskeks	essen prophezeiung
🥡	Takeaway-Schachtel	chinesisches essen essen stäbchen takeaway-box
🍦	Softeis
🍧	Wassereis	sorbet zerstoßen
🍨	Eiscreme	eisbecher eisdiele
🍩	Donut	doughnut essen kuchen süß
🍪	Keks	cookie plätchen
🎂	Geburtstagskuchen	essen feier geburtstagstorte happy birthday kerzen lebensmittel torte
🍰	Torte	kuchen kuchenstück stück torte tortenstück
🧁	Cupcake	bäckerei dessert essen gebäck kalorienbombe konditorei muffin nachspeise streusel süß zucker
🥧	Kuchen	essen füllung gebäck pastete torte
🍫	Schokoladentafel	essen süßigkeit
🍬	Bonbon	süß süßigkeit
🍭	Lutscher	lolli süßigkeit
🍮	Pudding	dessert flan nachspeise nachtisch schokolade soße
🍯	Honigtopf	süß
🍼	Babyflasche	fläschchen kind milch trinken
🥛	Glas Milch	getränk trinken
☕	Heißgetränk	cafe dampfend kaffee tasse tee trinken
🫖	Teekanne	getränk lebensmittel tee brühen teekrug trinken
🍵	Teetasse ohne Henkel	getränk grüner tee oolong schale
🍶	Sake-Flasche mit Tasse	getränk sake-flasche und -tasse trinken
🍾	Flasche mit knallendem Korken	champagner getränk sekt trinken
🍷	Weinglas	alkohol bar
🍸	Cocktailglas	bar drink martini
🍹	Cocktail	bar exotisches getränk
🍺	Bierkrug	bar oktoberfest prost weizenbier
🍻	Bierkrüge	anstoßen oktoberfest prosit prost weizen
🥂	Sektgläser	anstoßen feier feiern getränk prost
🥃	Trinkglas	bar schnaps whiskey
🫗	Flüssigkeit ausgießen	ausleeren getränk glas leer missgeschick tropfende flüssigkeit verschütten
🥤	Becher mit Strohhalm	brause erfrischung saft selters soda trinken trinkhalm wasser
🧋	Bubble Tea	blase essen getränk lebensmittel milch perle taiwan tee
🧃	Trinkpäckchen	fruchtsaft getränk obstsaft saft saftpackung
🧉	Mate-Tee	getränk
🧊	Eiswürfel	eisberg gefroren kalt kühlen
🥢	Essstäbchen	chinesisches essen essen hashi japanisches essen
🍽️	Teller mit Messer und Gabel	geschirr kochen
🍴	Messer und Gabel	abendessen besteck essen frühstück gabel und messer geschirr hunger lecker mittagessen restaurant
🥄	Löffel	besteck
🔪	Küchenmesser	schneiden
🫙	Einmachglas	einweckglas essen gewürzglas leer leerer behälter leeres einweckglas leeres glas marmeladeglas schraubglas
🏺	Amphore	gefäß kochen krug sternzeichen tierkreis trinken vase wassermann`,
  `🌍	Globus mit Europa und Afrika	erde weltkugel
🌎	Globus mit Amerika	erde nordamerika südamerika weltkugel
🌏	Globus mit Asien und Australien	erde weltkugel
🌐	Globus mit Meridianen	breitengrad längengrad
🗺️	Weltkarte	landkarte reisen
🗾	Umriss von Japan	karte
🧭	Kompass	himmelsrichtung magnetisch navigation orientierung richtung windrose
🏔️	schneebedeckter Berg	gebirge kalt
⛰️	Berg	gebirge
🌋	Vulkan	ausbruch berg lava vulkanausbruch wetter
🗻	Fuji	berg vulkan
🏕️	Camping	campen zelt zelten
🏖️	Strand mit Sonnenschirm	meer
🏜️	Wüste	heiß
🏝️	einsame Insel	meer palme strand verlassen
🏞️	Nationalpark	berg fluss natur schutzgebiet
🏟️	Stadion	arena
🏛️	antikes Gebäude	klassizistisch
🏗️	Kran	bau bauen
🧱	Ziegelstein	bauen grenze klinker mauer mauerwerk mörtel wand ziegelsteine zugemauert
🪨	Felsen	felsig hart natur schwer stein steinig
🪵	Holz	baumstamm feuerholz holzig holzscheite lagerfeuer
🛖	Hütte	behausung gebäude haus jurte objekt rundhaus schutz
🏘️	Wohnhäuser	dorf gebäude haus wohnhaus wohnsiedlung
🏚️	verfallenes Haus	gebäude heruntergekommen verlassen verlassenes haus
🏠	Haus	gebäude zuhause
🏡	Haus mit Garten	baum haus mit baum
🏢	Bürogebäude	hochhaus
🏣	japanisches Postgebäude
🏤	Postgebäude	europa europäisches postgebäude
🏥	Krankenhaus	ambulanz arzt gebäude medizin notaufnahme
🏦	Bank	gebäude geld
🏨	Hotel	gebäude unterkunft übernachten
🏩	Stundenhotel	gebäude liebe unterkunft
🏪	Minimarkt	einkaufen gebäude geschäft lebensmittel
🏫	Schule	gebäude schulgebäude
🏬	Kaufhaus	einkaufen gebäude geschäft shoppen
🏭	Fabrik	fabrikgebäude gebäude
🏯	japanisches Schloss	bauwerk gebäude
🏰	Schloss	bauwerk burg europa europäisch gebäude märchen märchenschloss
💒	Hochzeit	herz kirche
🗼	Tokyo Tower	fernsehturm tokio
🗽	Freiheitsstatue	amerika
⛪	Kirche	christ christentum christlich gebäude kreuz religion
🕌	Moschee	islam moslem muslim religion
🛕	Hindutempel	gebäude
🕍	Synagoge	jude jüdisch religion tempel
⛩️	Shinto-Schrein	religion
🕋	Kaaba	hajj islam moslem muslim religion
⛲	Springbrunnen	garten park
⛺	Zelt	camping campingurlaub zeltplatz
🌁	neblig	nebel wetter
🌃	Sternenhimmel	city hochhäuser nacht skyline stadt
🏙️	Skyline	gebäude großstadt hochhäuser häuser stadt wolkenkratzer
🌄	Sonnenaufgang über Bergen
🌅	Sonnenaufgang über dem Meer
🌆	Abendstimmung in der Stadt	hochhäuser new york skyline sonnenaufgang sonnenuntergang wolkenkratzer
🌇	Sonnenuntergang in der Stadt	großstadt hochhäuser morgenrot sonnenaufgang wolkenkratzer
🌉	Brücke vor Nachthimmel	golden gate nachts
♨️	heiße Quellen	dampf dampfend
🎠	Karussellpferd	reiten
🛝	Spielplatzrutsche	rutschbahn spielen vergnügungspark
🎡	Riesenrad	freizeitpark volksfest
🎢	Achterbahn	freizeitpark volksfest
💈	Barbershop-Säule	friseur herrenfriseur
🎪	Zirkuszelt	unterhaltung
🚂	Dampflokomotive	bahn fahrzeug schiene zug
🚃	Eisenbahnwagen	fahrzeug straßenbahn straßenbahnwagen tram waggon wagon zug
🚄	Hochgeschwindigkeitszug mit spitzer Nase	ice shinkansen tgv
🚅	Hochgeschwindigkeitszug	bahn japan shinkansen
🚆	Zug	bahn eisenbahn ice
🚇	U-Bahn	metro
🚈	S-Bahn	ice monorail zug
🚉	Bahnhof	zug
🚊	Straßenbahn	tram verkehrsmittel
🚝	Einschienenbahn	magnetschwebebahn monorail
🚞	Bergbahn	bimmelbahn zug
🚋	Straßenbahnwagen	tram tramwagen transport verkehrsmittel waggon
🚌	Bus	fahrzeug schulbus
🚍	Bus von vorne	verkehrsmittel vorderansicht bus
🚎	Oberleitungsbus	straßenbahn trolleybus
🚐	Kleinbus	fahrzeug
🚑	Krankenwagen	ambulanz notfall
🚒	Feuerwehrauto	brand löschfahrzeug
🚓	Polizeiwagen	streifenwagen
🚔	Polizeiwagen von vorne	streifenwagen vorderansicht polizeiwagen
🚕	Taxi	auto fahrzeug
🚖	Taxi von vorne	auto fahren gelb vorderansicht taxi
🚗	Auto	fahren fahrzeug rot verkehr
🚘	Auto von vorne	automobil fahrzeug rot vorderansicht auto
🚙	Wohnmobil	auto blau fahren verreisen
🛻	Pick-up	auto fahren fahrzeug laster lastwagen lieferwagen lkw transport
🚚	Lieferwagen	lastwagen lkw
🚛	Sattelzug	lastwagen lkw umziehen ziehen um
🚜	Traktor	bauernhof landwirtschaft trecker
🏎️	Rennauto	autorennen
🏍️	Motorrad	moped motorrennen
🛵	Motorroller	motoroller vespa
🦽	manueller Rollstuhl	barrierefreiheit behinderung
🦼	elektrischer Rollstuhl	barrierefreiheit behinderung
🛺	Autorikscha	fahrzeug tuk-tuk
🚲	Fahrrad	bmx radeln radler spinning
🛴	Tretroller
🛹	Skateboard	brett räder skateboard fahren skaten skater
🛼	Rollschuh	rollen rollerskate rollschuh laufen sport
🚏	Bushaltestelle
🛣️	Autobahn	schnellstraße
🛤️	Bahngleis	gleise schienen
🛢️	Ölfass
⛽	Tanksäule	benzin tanke tanken tankstelle
🛞	Autorad	autoreifen drehen reifen reifen mit felgen rotieren
🚨	Polizeilicht	sirene
🚥	horizontale Verkehrsampel	vertikal
🚦	vertikale Verkehrsampel	horizontal
🛑	Stoppschild	achteckig
🚧	Baustellenabsperrung	baustellenschild schild
⚓	Anker	hafen meer
🛟	Rettungsring	leben retten lebensretter retten schwimmring sicherheit
⛵	Segelboot
🛶	Kanu	boot wassersport
🚤	Schnellboot	luxus see sommer wasser yacht
🛳️	Passagierschiff	aida rundreise seereise traumschiff
⛴️	Fähre	schiff
🛥️	Motorboot	schiff
🚢	Schiff	dampfer kreuzfahrtschiff traumschiff
✈️	Flugzeug	flieger
🛩️	kleines Flugzeug	privatjet
🛫	Abflug	fliegen flughafen flugzeug start start eines flugzeugs
🛬	Landung eines Flugzeugs	ankunft flieger flughafen landen
🪂	Fallschirm	fallschirmspringen paragliding skydiving sport
💺	Sitzplatz	bus flugzeug zug
🚁	Hubschrauber	fliegen helikopter reisen
🚟	Schwebebahn	hängebahn
🚠	Bergschwebebahn
🚡	Bergseilbahn	gondel
🛰️	Satellit	sputnik weltraum
🚀	Rakete	all weltraum
🛸	fliegende Untertasse	alien außerirdisch ufo
🛎️	Rezeptionsklingel
🧳	Gepäck	ballast hartschalenkoffer koffer reise trolley-tasche
⌛	Sanduhr	prozess vorgang läuft zeit
⏳	laufende Sanduhr	prozess vorgang läuft
⌚	Armbanduhr	zeit
⏰	Wecker	uhr uhrzeit zeit
⏱️	Stoppuhr	zeit
⏲️	Zeitschaltuhr	timer
🕰️	Kaminuhr	tick tack
🕛	Ziffernblatt 12:00 Uhr	mittag mitternacht ziffernblatt 12.00 uhr zwölf uhr
🕧	12:30 Uhr	00:30 halb eins zeit ziffernblatt 12.30 uhr ziffernblatt 12:30 uhr
🕐	1:00 Uhr	01:00 13:00 punkt eins zeit ziffernblatt 1.00 uhr ziffernblatt 1:00 uhr
🕜	1:30 Uhr	1 uhr 30 halb zwei ziffernblatt 1.30 uhr ziffernblatt 1:30 uhr
🕑	2:00 Uhr	zeit ziffernblatt 2.00 uhr ziffernblatt 2:00 uhr
🕝	2:30 Uhr	halb drei zeit ziffernblatt 2.30 uhr ziffernblatt 2:30 uhr
🕒	3:00 Uhr	zeit ziffernblatt 3.00 uhr ziffernblatt 3:00 uhr
🕞	3:30 Uhr	halb vier ziffernblatt 3.30 uhr ziffernblatt 3:30 uhr
🕓	4:00 Uhr	zeit ziffernblatt 4.00 uhr ziffernblatt 4:00 uhr
🕟	4:30 Uhr	04:30 16:30 halb fünf zeit ziffernblatt 4.30 uhr ziffernblatt 4:30 uhr
🕔	5:00 Uhr	05:00 17:00 punkt fünf zeit ziffernblatt 5.00 uhr ziffernblatt 5:00 uhr
🕠	5:30 Uhr	05:30 17:30 halb sechs ziffernblatt 5.30 uhr ziffernblatt 5:30 uhr
🕕	6:00 Uhr	zeit ziffernblatt 6.00 uhr ziffernblatt 6:00 uhr
🕡	6:30 Uhr	halb sieben ziffernblatt 6.30 uhr
🕖	7:00 Uhr	ziffernblatt 7.00 uhr ziffernblatt 7:00 uhr
🕢	7:30 Uhr	halb acht zeit ziffernblatt 7.30 uhr ziffernblatt 7:30 uhr
🕗	8:00 Uhr	um 8 zeit ziffernblatt 8.00 uhr ziffernblatt 8:00 uhr
🕣	8:30 Uhr	halb neun ziffernblatt 8.30 uhr ziffernblatt 8:30 uhr
🕘	9:00 Uhr	zeit ziffernblatt 9.00 uhr ziffernblatt 9:00 uhr
🕤	9:30 Uhr	halb zehn zeit ziffernblatt 9.30 uhr ziffernblatt 9:30 uhr
🕙	10:00 Uhr	zeit ziffernblatt 10.00 uhr ziffernblatt 10:00 uhr
🕥	10:30 Uhr	halb elf ziffernblatt 10.30 uhr ziffernblatt 10:30 uhr
🕚	11:00 Uhr	zeit ziffernblatt 11.00 uhr ziffernblatt 11:00 uhr
🕦	11:30 Uhr	halb zwölf zeit ziffernblatt 11.30 uhr ziffernblatt 11:30 uhr
🌑	Neumond
🌒	erstes Mondviertel	zunehmend
🌓	zunehmender Halbmond
🌔	zweites Mondviertel	zunehmend
🌕	Vollmond
🌖	drittes Mondviertel	abnehmend
🌗	abnehmender Halbmond
🌘	letztes Mondviertel	abnehmend nacht
🌙	Mondsichel	nacht
🌚	Neumond mit Gesicht	mondgesicht
🌛	Mondsichel mit Gesicht links	weltall
🌜	Mondsichel mit Gesicht rechts	nacht
🌡️	Thermometer	temperatur wetter
☀️	Sonne	sonnenstrahlen sonnig strahlen wetter
🌝	Vollmond mit Gesicht
🌞	Sonne mit Gesicht	sonnengesicht sonnenschein
🪐	Ringplanet	gasplanet himmelskörper saturn
⭐	weißer mittelgroßer Stern	astronomie gelber stern himmel
🌟	funkelnder Stern	glitzern
🌠	Sternschnuppe	himmel
🌌	Milchstraße	galaxie universum
☁️	Wolke	wetter wolkig
⛅	Sonne hinter Wolke	wolkig
⛈️	Wolke mit Blitz und Regen	gewitter wetter wolkig
🌤️	Sonne hinter kleiner Wolke	bewölkt kleine wolke wetter
🌥️	Sonne hinter großer Wolke	bewölkt große wolke wetter
🌦️	Sonne hinter Regenwolke	wetter
🌧️	Wolke mit Regen	regenwolke wetter
🌨️	Wolke mit Schnee	kalt wetter
🌩️	Wolke mit Blitz	gewitter wetter
🌪️	Wirbelsturm	tornado wetter
🌫️	Nebel	neblig wetter
🌬️	Wind	wetter windig
🌀	Wirbel	spirale wirbelsturm
🌈	Regenbogen	wetter
🌂	geschlossener Regenschirm
☂️	Regenschirm	bekleidung wetter
☔	Regenschirm im Regen
⛱️	aufgestellter Sonnenschirm	strand
⚡	Hochspannung	blitz elektrizität gefahr gewitter hochspannungszeichen strom
❄️	Schneeflocke	kalt schneien wetter winter
☃️	Schneemann im Schnee
⛄	Schneemann ohne Schneeflocken	kalt winter
☄️	Komet	weltall
🔥	Feuer	brennen flamme heiß
💧	Tropfen	schweiß träne wasser wassertropfen
🌊	Welle	meer`,
  `🎃	Halloweenkürbis	herbst kürbislaterne
🎄	Weihnachtsbaum	tanne weihnachten
🎆	Feuerwerk	silvester
🎇	Wunderkerze	feiern feuerwerk party
🧨	Feuerwerkskörper	dynamit explosion explosiv funken knall knallen knaller kracher silvester sprengen sprengstoff zündstoff
✨	funkelnde Sterne	*
🎈	Luftballon	feier geburtstag
🎉	Konfettibombe	böller feier juhu knaller party super yay
🎊	Konfettiball	feier party
🎋	Tanabata-Baum	fest japan sternenfest zettel
🎍	Piniendekoration	japan neujahrsfest
🎎	japanische Puppen	puppenfest japan
🎏	traditionelle japanische Windsäcke	feier karpfen
🎐	japanisches Windspiel	bimmel feier glocke
🎑	traditionelles Mondfest	japan
🧧	roter Umschlag	geld geschenk glück hong bao hongbao
🎀	pinke Schleife	feier geschenk rosa
🎁	Geschenk	feier geburtstag schachtel schleife verpackt weihnachten überraschung
🎗️	Gedenkschleife
🎟️	Eintrittskarten	billet ticket
🎫	Ticket	konzert unterhaltung
🎖️	Militärorden
🏆	Pokal	bundesliga champion gewinnen preis sieger sport trophäe
🏅	Sportmedaille	gewinn goldmedaille
🥇	Goldmedaille	erster gewinn medaille 1. platz
🥈	Silbermedaille	medaille 2. platz zweiter
🥉	Bronzemedaille	dritter medaille 3. platz
⚽	Fußball	bundesliga messi
⚾	Baseball
🥎	Softball	baseball handschuh sport unterarm werfen
🏀	Basketball	korb sport
🏐	Volleyball	sport
🏈	Football	american football amerika sport super bowl
🏉	Rugbyball	sport
🎾	Tennisball	sport
🥏	Frisbee	disc disk fliegende untertasse scheibe ultimate
🎳	Bowling	bowlingkugel kugel spiel
🏏	Kricket	ball cricket schläger
🏑	Feldhockey	schläger
🏒	Eishockey	eishockey-schläger und puck puck schläger
🥍	Lacrosse	ball schläger sport stick stock tor
🏓	Tischtennis	ball ping pong schläger spiel sport
🏸	Badminton	federball schläger
🥊	Boxhandschuh	boxen sport
🥋	Kampfsportanzug	judo kampfkunst karate taekwondo
🥅	Tor	fußball netz sport
⛳	Golffahne	golfplatz
⛸️	Schlittschuh	eislauf
🎣	Angel mit Fisch	angeln entspannung
🤿	Tauchmaske	schnorcheln schwimmen sport sporttauchen tauchen
🎽	Laufshirt	laufen laufshirt mit schärpe schärpe sport
🎿	Ski	ski und stöcke
🛷	Schlitten	rodel rodeln schnee
🥌	Curlingstein	spiel sport
🎯	Darts	pfeil spiel volltreffer zielscheibe
🪀	Jo-Jo	spielzeug yo-yo
🪁	Drachen	fliegen hochfliegen steigen wind
🔫	Wasserpistole	revolver waffe
🎱	Billardkugel	8-ball schwarz spiel
🔮	Kristallkugel	wahrsager zukunft
🪄	Zauberstab	abrakadabra hexe hexer magie magisch wunder zauberei zauberer zauberin zaubern
🎮	Gamepad	gaming unterhaltung videospiel
🕹️	Joystick	gaming videospiel
🎰	Spielautomat	glücksspiel
🎲	Spielwürfel	casino unterhaltung würfeln zufall
🧩	Puzzleteil	bestandteile hinweise hobby passen puzzeln puzzlestück puzzleteile spiel teile zusammenpassen zusammensetzen
🧸	Teddybär	kuscheltier plüschteddy plüschtier spielwaren spielzeug stoffbär stofftier
🪅	Piñata	feier hau drauf mexikanisch mexiko objekt party pinada pinata süß süßigkeiten
🪩	Discokugel	lichtreflexe party spiegel spiegelkugel tanz tanzen
🪆	Matroschka	babuschka matrioschka matrjoschka puppe russland spielzeug
♠️	Pik	karten kartenspiel
♥️	Herz	kartenspiel
♦️	Karo	kartenspiel
♣️	Kreuz	kartenspiel
♟️	Bauer Schach
🃏	Jokerkarte	spielkarte
🀄	Mahjong-Stein	roter drache spiel
🎴	japanische Blumenkarte	hanafuda
🎭	Masken	kunst theater unterhaltung
🖼️	gerahmtes Bild	gemälde kunst malen rahmen zeichnen zeichnung
🎨	Mischpalette	farben kunst künstler
🧵	Faden	nadel nähen nähfaden nähgarn rolle spule zwirn
🪡	Nähnadel	einfädeln faden nadel und faden nähen nähte schneidern stiche sticken
🧶	Wollknäuel	ball garn häkeln spinnen stricken wolle zwirn
🪢	Knoten	achterknoten binden schnur schnürsenkel seemansknoten segelboot segeln seil verknoten zusammendrehen`,
  `👓	Brille	accessoire
🕶️	Sonnenbrille	augen dunkel
🥽	Schutzbrille	augenschutz schweißen schweißerbrille schwimmen tauchen taucherbrille
🥼	Laborkittel	arzt arztkittel doc doktor experiment kleidung kleidungsstück labormantel weiße jacke weißer mantel wissenschaftler
🦺	Sicherheitsweste	kleidung notfall
👔	Hemd mit Krawatte	kleidung kragen schlips
👕	T-Shirt	kleidung
👖	Jeans	hose kleidung
🧣	Schal	hals kalt kleidung warm anziehen
🧤	Handschuhe
🧥	Mantel	brr jacke kalt kleidung warm anziehen
🧦	Socken	strumpf strümpfe
👗	Kleid	kleidung
👘	Kimono	japanisch kleid kleidung
🥻	Sari	kleid kleidung
🩱	einteiliger Badeanzug	kleidung
🩲	Slip	badeanzug einteiler kleidung unterwäsche
🩳	Shorts	badebekleidung badehose boxershorts kleidung schwimmshorts
👙	Bikini	badeanzug kleidung
👚	Bluse	damenmode kleidung oberbekleidung shirt
🪭	Faltfächer	abkühlung flirten heiß kühlen luft zufächeln schüchtern spanisch tanz warm
👛	Geldbörse	accessoire brieftasche münzen portemonnaie
👜	Handtasche	accessoire einkaufen
👝	Clutch	accessoire beutel handtasche kulturbeutel tasche waschtasche
🛍️	Einkaufstüten	einkaufen shoppen shopping tasche
🎒	Schulranzen	rucksack schule tornister
🩴	Zehensandale	badelatschen flipflops latschen sandalen schuh strandschuh zehensandalen
👞	Herrenschuh	gehen
👟	Sportschuh	laufen rennen sneaker sportlich turnschuh
🥾	Wanderstiefel	brauner schuh campen camping kleidungsstück outdoor rucksacktour schuh wandern wanderung
🥿	flacher Schuh	ballerina ballet-pumps bequem frauenschuh kleidungsstück slipper
👠	Stöckelschuh	absatz absatzschuh damen elegant high heel highheels pumps rot vornehm
👡	Damensandale	schuh
🩰	Ballettschuhe	kleidung tanz
👢	Damenstiefel	schuh
🪮	Haarkamm	afro afro pick haare kämmen
👑	Krone	kopfbedeckung könig königin majestät
👒	Damenhut	damenhut mit schleife kleidung kopfbedeckung schleife
🎩	Zylinder	hut kopfbedeckung unterhaltung zauberer zylinderhut
🎓	Doktorhut	abschlussfeier diplom
🧢	Baseballmütze	baseball-kappe baseball-mütze baseballkappe schirmkappe
🪖	Militärhelm	armee heer krieg kämpfer kämpferin schutzhelm soldat soldatin
⛑️	Rettungshelm	bergen erste hilfe helm mit weißem kreuz hilfe kreuz retten roter helm sanitäter
📿	Gebetskette	beten religion rosenkranz
💄	Lippenstift	kosmetik make-up makeup rot schminke
💍	Ring	diamantring edelstein schmuck verlobung
💎	Edelstein	diamant
🔇	durchgestrichener Lautsprecher	leise psst stumm stummgeschaltet
🔈	Lautsprecher mit geringer Lautstärke	eingeschaltet ton an
🔉	Lautsprecher mit mittlerer Lautstärke	lautsprecher mit einer schallwelle leise mittellaut ton
🔊	Lautsprecher mit hoher Lautstärke	dezibel lautsprecher mit drei schallwellen musik schallwellen
📢	Lautsprecher	megafon schallendes megafon
📣	Megafon	jubel lautsprecher
📯	Posthorn	brief e-mail
🔔	Glocke	ding dong klingeling ton eingeschaltet
🔕	durchgestrichene Glocke	kein ton leise ton ausgeschaltet
🎼	Notenschlüssel	musik partitur violinschlüssel
🎵	Musiknote	lied melodie
🎶	Musiknoten
🎙️	Studiomikrofon
🎚️	Schieberegler	musik
🎛️	Drehregler	bedienknöpfe knöpfe stellknöpfe
🎤	Mikrofon	karaoke singen unterhaltung
🎧	Kopfhörer	musik unterhaltung
📻	Radio	musik
🎷	Saxofon	instrument musik musikinstrument
🎺	Trompete	instrument musik musikinstrument
🪗	Akkordeon	akkordeons concertina harmonika instrument musik musikinstrument quetschkommode quetschkommoden schifferklavier spielen ziehharmonika ziehharmonikas
🎸	Gitarre	instrument musik musikinstrument
🎹	Klaviatur	instrument klavier musik musikinstrument piano tastatur tasten
🎻	Geige	instrument musik musikinstrument violine
🪕	Banjo	instrument musik saiteninstrument zupfinstrument
🥁	Trommel	drumsticks instrument musik schlägel sticks trommelstöcke
🪘	afrikanische Trommel	conga handtrommel instrument musikinstrument rhythmus trommeln
🪇	Maracas	cha-cha-cha instrument musik musikinstrument musizieren party percussion rassel rasseln tanz tanzen
🪈	Flöte	band blaskapelle holzblasinstrument instrument musik musikinstrument musizieren orchester spielmannszug
📱	Mobiltelefon	handy iphone smartphone telefonieren
📲	Mobiltelefon mit Pfeil	anruf anrufen handy iphone kommunikation whatsapp
☎️	Telefon	anruf anrufen festnetz
📞	Telefonhörer	anrufen kommunikation
📟	Pager	kommunikation piepser
📠	Faxgerät	kommunikation
🔋	Batterie	akku
🪫	schwache Batterie	akku akku fast leer akku leer aufladen batterie fast leer batterie leer elektronik ladestand niedriger akkustand schwacher akku
🔌	Netzstecker	stromstecker
💻	Laptop	bildschirm computer computermonitor monitor notebook pc
🖥️	Desktopcomputer	bildschirm imac monitor
🖨️	Drucker	computer
⌨️	Tastatur	computer keyboard
🖱️	Computermaus
🖲️	Trackball	computer
💽	Minidisc	md minidisk
💾	Diskette	datenträger
💿	CD	blu-ray dvd
📀	DVD	blu-ray cd computer
🧮	Abakus	abaki abakusse berechnung kalkulation mathe mathematik rechenhilfe rechenrahmen rechenschieber rechnen zählen zählrahmen
🎥	Filmkamera	kino unterhaltung
🎞️	Filmstreifen	filmband kino
📽️	Filmprojektor	kino unterhaltung
🎬	Filmklappe	unterhaltung
📺	Fernseher	fernsehen film tv
📷	Fotoapparat	fotos kamera
📸	Fotoapparat mit Blitz
📹	Videokamera	filmen videos
📼	Videokassette	vhs
🔍	Lupe nach links	suche vergrößerungsglas
🔎	Lupe nach rechts	suche vergrößerungsglas
🕯️	Kerze	licht
💡	Glühbirne	hell idee lampe licht
🔦	Taschenlampe	licht
🏮	rote Papierlaterne	izakaya japanische laterne japanisches lokal
🪔	Öllampe	diya
📔	Notizbuch mit dekorativem Einband
📕	geschlossenes Buch
📖	offenes Buch	bibliothek blättern geöffnet lernen lesen seite
📗	grünes Buch	lesen
📘	blaues Buch
📙	orangefarbenes Buch
📚	Bücherstapel	fantasie lesen roman
📓	Notizbuch	notizen
📒	Spiralblock	notizblock
📃	teilweise eingerolltes Blatt	dokument papier seite
📜	Schriftrolle	papier
📄	Vorderseite eines Blattes	dokument papier
📰	Zeitung	medien nachrichten presse
🗞️	zusammengerollte Zeitung
📑	Pagemarker	notizen
🔖	Lesezeichen	etikett lesen
🏷️	Etikett	label marke
🪙	Münze	bezahlen dollar euro geld gold goldesel metall reich schatz silber sparen
💰	Geldsack	moneten reich
💴	Yen-Banknote	geld geldschein
💵	Dollar-Banknote	geld geldschein währung
💶	Euro-Banknote	euroschein geld geldschein
💷	Pfund-Banknote	geld geldschein
💸	Geldschein mit Flügeln	bank euro knete moneten
💳	Kreditkarte	bankkarte ec-karte geldkarte guthaben
🧾	Beleg	abrechnung aufstellung blatt buchhalter buchhaltung quittung rechnung rechnungswesen schriftstück
💹	steigende Kurve mit Yen-Zeichen	diagramm markt steigender trend mit yen-zeichen
✉️	Briefumschlag	e-mail
📧	E-Mail	brief e-mail-symbol post
📨	eingehender Briefumschlag	e-mail empfangen
📩	Umschlag mit Pfeil	e-mail gesendet
📤	Postausgang	ablage e-mail
📥	Posteingang	ablage e-mail
📦	Paket	päckchen
📫	geschlossener Briefkasten mit Post	e-mail
📪	geschlossener Briefkasten ohne Post	keine e-mail keine post
📬	offener Briefkasten mit Post	e-mail
📭	offener Briefkasten ohne Post	keine e-mail keine post
📮	Briefkasten	post
🗳️	Urne mit Wahlzettel	wahlen
✏️	Bleistift
✒️	schwarzer Federhalter	füller stift
🖋️	Füllhalter	füller füllfedehalter füllfederhalter schreiben stift
🖊️	Kugelschreiber	stift
🖌️	Pinsel	kunst malen
🖍️	Wachsmalstift	buntstift filzstift
📝	Papier und Bleistift	kurzmitteilung nachricht notiz schreibblock schreiben
💼	Aktentasche
📁	Ordner	akten büro dokument geschlossen
📂	geöffneter Ordner	dokument offen
🗂️	Karteireiter	akten büro büroausstattung büromaterial karteibahnen karteikarten
📅	Kalender	datum kalenderblatt
📆	Abreißkalender	datum termin
🗒️	Notizblock	papier
🗓️	Spiralkalender
📇	Rotationskartei	visitenkarten
📈	Aufwärtstrend	diagramm kurve steigend
📉	Abwärtstrend	diagramm fallend kurve
📊	Balkendiagramm
📋	Klemmbrett	clipboard clpboard zwischenablage
📌	Reißzwecke	anpinnen
📍	Stecknadel	anpinnen reißzwecke rund runde reißzwecke
📎	Büroklammer
🖇️	verhakte Büroklammern
📏	Lineal
📐	dreieckiges Lineal	geodreieck
✂️	Schere	schneiden schnipp
🗃️	Karteikasten	büroausstattung büromaterial
🗄️	Aktenschrank	ablage archiv schublade
🗑️	Papierkorb	abfalleimer
🔒	geschlossenes Schloss	datenschutz sicherheit
🔓	offenes Schloss	nicht gesichert
🔏	Schloss mit Füller	datenschutz privat sicherheit
🔐	Schloss mit Schlüssel	datenschutz privat sicherheit
🔑	Schlüssel	passwort schließen
🗝️	alter Schlüssel	schloss
🔨	Hammer	werkzeug
🪓	Axt	beil hacken holz spalten werkzeug
⛏️	Pickel	werkzeug
⚒️	Hammer und Pickel	arbeiter werkzeug
🛠️	Hammer und Schraubenschlüssel	werkzeug
🗡️	Dolch	schwert waffe
⚔️	gekreuzte Schwerter	waffe
💣	Bombe	comic dynamit explodieren
🪃	Bumerang	aborigines australien boomerang schleuder waffe werfen
🏹	Pfeil und Bogen
🛡️	Schutzschild
🪚	Handsäge	holz sägen tischler trimmen werkzeug
🔧	Schraubenschlüssel	werkzeug
🪛	Schraubenzieher	schraubendreher werkzeug
🔩	Mutter und Schraube
⚙️	Zahnrad	werkzeug
🗜️	Schraubzwinge	werkzeug
⚖️	Waage	gerechtigkeit gewicht werkzeug wiegen
🦯	Blindenstock	barrierefreiheit behinderung gehstock
🔗	Linksymbol	kettenglieder verknüpfen verknüpfung verknüpfungssymbol zwei ringe
⛓️	Ketten	eisen
🪝	Haken	angelhaken aufhaken aufhängen einhaken hängen metallhaken
🧰	Werkzeugkasten	box handkasten kiste mechaniker rote kiste werkzeugkiste werkzeugkoffer
🧲	Magnet	anziehung anziehungskraft hufeisen magnetisch pole positiv negativ u-form
🪜	Leiter	hochsteigen holzleiter klettern sprosse stufe
⚗️	Destillierapparat	werkzeug
🧪	Reagenzglas	chemie chemikalie chemiker experiment labor substanz versuche wissenschaft
🧫	Petrischale	bakterien bakterienkultur biologe biologie biologin kultur labor pipette probe
🧬	DNA	biologe biologie biologin dns evolution gen genetik genmanipulation leben
🔬	Mikroskop	labor untersuchen wissenschaft
🔭	Teleskop	himmel
📡	Satellitenschüssel	antenne sat-schüssel satschüssel
💉	Spritze	arzt impfen impfung injektion kanüle nadel
🩸	Blutstropfen	blutspende flüssigkeit medizin menstruation
💊	Kapsel	arznei arzt medizin pille tabletten
🩹	Heftpflaster	verletzt wunde
🩼	Krücke	behinderung beinverletzung fußverletzung gehhilfe gehstütze hilfe schmerzen stock verletzt verletzung
🩺	Stethoskop	abhören arzt doktor herz herzschlag medizin untersuchung
🩻	Röntgenbild	durchleuchten knochen medizin radiologie rippen röntgenstrahlen skelett
🚪	Tür	eingang geschlossen
🛗	Fahrstuhl	aufzug haus lift symbol transport
🪞	Spiegel	holzspiegel reflexion spiegelbild wandspiegel
🪟	Fenster	aussicht durchsichtig fensterrahmen frische luft glas haus lüften rahmen öffnung
🛏️	Bett	hotel schlafen übernachtung
🛋️	Sofa und Lampe	couch
🪑	Stuhl	holzstuhl möbel sitzen
🚽	Toilette	klo wc
🪠	Saugglocke	abfluss gummiglocke klempner klo pömpel pümpel sanitär saugglocken toilette verstopft wc werkzeug
🚿	Dusche	duschkopf
🛁	Badewanne	badezimmer dusche
🪤	Mausefalle	anlocken käse mäusefalle
🪒	Rasierer	klinge rasieren rasiermesser scharf
🧴	Creme	feuchtigkeitscreme feuchtigkeitsmilch haarwaschmittel körpercreme lotion nachtcreme shampoo sonnencreme
🧷	Sicherheitsnadel	punk windel
🧹	Besen	fegen hexe hexenbesen kehren reinigen sauber machen säubern
🧺	Korb	bauernhof landwirtschaft picknick tragekorb wäsche wäschekorb
🧻	Küchenrolle	hygiene klopapier papierrolle papiertücher toilette toilettenpapier wc wc-papier
🪣	Eimer	behälter bottich kübel wassereimer
🧼	Seife	baden putzen reinigen riegel sauber sauber machen schaum schäumen seifenschale seifenstück säubern
🫧	Blasen	perlen reinigen schaum schweben seife seifenblasen unter wasser wasserblasen
🪥	Zahnbürste	badezimmer körperpflege mundhygiene putzen sauber zahnhygiene zähne
🧽	Schwamm	absorbieren aufsaugen löchrig porös putzen putzmittel reinigen sauber machen schaum schäumen
🧯	Feuerlöscher	löschen
🛒	Einkaufswagen	einkaufen
🚬	Zigarette	kippe rauchen rauchersymbol
⚰️	Sarg	beerdigung tod tot vampir
🪦	Grabstein	friedhof rip tot
⚱️	Urne	beerdigung tod tot
🧿	Nazar-Amulett	blau böser blick glasperle glücksbringer kügelchen perle talisman
🪬	Hamsa	amulett auge in offener hand fatima glückssymbol hand jüdisch maria muslimisch schutz
🗿	Statue	gesicht maske osterinsel
🪧	Protestschild	ankündigung bekanntmachung demonstration hinweis mahnwache plakat
🪪	Ausweis	dokument führerschein karte pass personalausweis plakette reisepass`,
  `🏧	Symbol „Geldautomat“	atm
🚮	Symbol „Papierkorb“	abfall müll mülleimer sauberkeit wegschmeißen wegwerfen
🚰	Trinkwasser	wasserhahn
♿	Symbol „Rollstuhl“	barrierefrei behindertengerecht
🚹	Herren	herrentoilette wc
🚺	Damen	damentoilette wc
🚻	Toiletten	wc
🚼	Symbol „Baby“	wickelraum
🚾	WC	toilette
🛂	Passkontrolle
🛃	Zollkontrolle
🛄	Gepäckausgabe
🛅	Gepäckaufbewahrung	schließfach
⚠️	Warnung	achtung dreieck vorsicht warnschild
🚸	Kinder überqueren die Straße	kinder-queren-die-straße-schild straßenschild vorsicht
⛔	Zutritt verboten	einbahnstrasse kein zutritt keine durchfahrt zutritt-verboten-schild
🚫	Verboten	kein zutritt kein-zutritt-zeichen verbotszeichen
🚳	Fahrräder verboten	fahhrad fahrrad-verboten-schild radfahren verboten
🚭	Rauchverbot	rauchen verboten zigarette
🚯	Abfall verboten	müll müll-verboten-zeichen
🚱	Kein Trinkwasser	verboten verschmutzt
🚷	Fußgänger verboten	fußgänger-verboten-schild
📵	Mobiltelefone verboten	handy
🔞	Minderjährige verboten	erwachsene mindestalter nicht jugendfrei zeichen mit durchgestrichener 18
☢️	Radioaktiv
☣️	Biogefährdung	zeichen
⬆️	Pfeil nach oben	aufwärts aufwärtspfeil norden
↗️	Pfeil nach rechts oben	nordosten
➡️	Pfeil nach rechts	osten rechtspfeil
↘️	Pfeil nach rechts unten	südosten
⬇️	Pfeil nach unten	abwärts abwärtspfeil süden
↙️	Pfeil nach links unten
⬅️	Pfeil nach links	linkspfeil westen
↖️	Pfeil nach links oben	nordwesten
↕️	Pfeil nach oben und unten	entgegengesetzt
↔️	Pfeil nach links und rechts	entgegengesetzt
↩️	geschwungener Pfeil nach links
↪️	geschwungener Pfeil nach rechts	umdrehen
⤴️	geschwungener Pfeil nach oben
⤵️	geschwungener Pfeil nach unten
🔃	kreisförmige Pfeile im Uhrzeigersinn
🔄	Pfeile gegen den Uhrzeigersinn	kreisförmige pfeile gegen den uhrzeigersinn
🔙	BACK-Pfeil	links zurück
🔚	END-Pfeil	ende-zeichen links
🔛	ON!-Pfeil	anschalten ein-zeichen einschaltem rechts und links
🔜	SOON-Pfeil	bald-zeichen rechts
🔝	TOP-Pfeil	pfeil nach oben top-zeichen
🛐	religiöse Stätte	kultstätte religion
⚛️	Atomzeichen	atheist
🕉️	om	hinduismus religion
✡️	Davidstern	jüdisch religion
☸️	Dharma-Rad	buddhismus
☯️	Yin und Yang	daoismus religion
✝️	lateinisches Kreuz	christentum religion römisch
☦️	orthodoxes Kreuz	christentum religion
☪️	Hilal und Stern	islam muslim religion
☮️	Friedenszeichen	friedensbewegung friedenssymbol
🕎	Menora	leuchter religion
🔯	Hexagramm mit Punkt	wahrsager
🪯	Khanda	deg tegh fateh glaube khalsa khanda-emblem religion schwert sikh sikhismus
♈	Widder (Sternzeichen)
♉	Stier (Sternzeichen)	horoskop
♊	Zwillinge (Sternzeichen)	horoskop
♋	Krebs (Sternzeichen)
♌	Löwe (Sternzeichen)	horoskop
♍	Jungfrau (Sternzeichen)	horoskop
♎	Waage (Sternzeichen)	horoskop
♏	Skorpion (Sternzeichen)	horoskop
♐	Schütze (Sternzeichen)
♑	Steinbock (Sternzeichen)
♒	Wassermann (Sternzeichen)
♓	Fische (Sternzeichen)	horoskop
⛎	Schlangenträger	schlagenträger sternbild
🔀	Zufallsmodus	gekreuzt pfeile richtung verschlungene pfeile nach rechts
🔁	Wiederholen	im uhrzeigersinn keycap pfeile tastenkappe
🔂	Titel wiederholen	dasselbe wiederholen einmal im uhrzeigersinn noch einmal pfeile
▶️	Wiedergabe	abspielen dreieck pfeil rechts
⏩	Doppelpfeile nach rechts	vorwärts weiter überspringen
⏭️	Nächster Titel	doppelpfeil dreieck vorwärts weiter
⏯️	Wiedergabe oder Pause	dreieck pfeil rechts
◀️	Pfeil zurück	dreieck links
⏪	Zurückspulen	doppelpfeil doppelpfeile nach links dreieck pfeil vorheriger titel
⏮️	Vorheriger Titel	doppelpfeil dreieck pfeil zurück
🔼	Aufwärts-Schaltfläche	nach oben pfeil
⏫	Doppelpfeile nach oben	aufwärts doppelt
🔽	Abwärts-Schaltfläche	nach unten pfeil
⏬	Doppelpfeile nach unten	doppelt abwärts
⏸️	Pause	keycap streifen tastenkappe vertikal
⏹️	Stopp	aufnahme stoppen keycap quadrat tastenkappe
⏺️	Aufnehmen	aufnahme keycap kreis tastenkappe
⏏️	Auswerfen	auswurf auswurftaste medien
🎦	Kinosymbol	film filmkamera filmkamera in blauem quadrat unterhaltung
🔅	Taste Dimmen	gedimmt helligkeit schwache helligkeit
🔆	Heller-Taste	helligkeit starke helligkeit
📶	balkenförmige Signalstärkenanzeige	empfang mobilfunksignal mobiltelefon
🛜	WLAN	computer drahtlos hotspot internet kabellos netzwerk router verbindung wi-fi
📳	Vibrationsmodus	handy kommunikation mobiltelefon symbol für vibrationsalarm vibrieren
📴	Mobiltelefon aus	ausschalten handy aus
♀️	Frauensymbol	weiblich zeichen
♂️	Männersymbol	mann zeichen
⚧️	Transgender-Symbol	symbol für transgender
✖️	mal	abbrechen multiplikation multiplikationszeichen multiplizieren x ×
➕	plus	+ addieren mathe pluszeichen
➖	minus	- mathe minuszeichen −
➗	geteilt durch	division divisionszeichen geteiltzeichen mathe ÷
🟰	Gleichheitszeichen extrafett	ist gleich mathematik vergleichszeichen
♾️	Unendlichkeit	ewig grenzenlos
‼️	doppeltes Ausrufezeichen	muss rot satzzeichen
⁉️	Ausrufe- und Fragezeichen	ausrufezeichen rot satzzeichen
❓	rotes Fragezeichen	satzzeichen warum wieso
❔	weißes Fragezeichen	satzzeichen warum
❕	weißes Ausrufezeichen	muss satzzeichen
❗	rotes Ausrufezeichen	! satzzeichen
〰️	Wellenlinie	gewellt
💱	Geldwechsel	währung
💲	Dollarzeichen extrafett	bezahlen dollar-zeichen geld knete moneten teuer usd währung
⚕️	Äskulapstab	apotheke arznei asklepiosstab medizin
♻️	Recycling-Symbol	grüne punkt grüner punkt
⚜️	Lilie	fleur-de-lis
🔱	Dreizack	anker poseidon triton
📛	Namensschild
🔰	japanisches Anfänger-Zeichen	japanisches symbol
⭕	hohler roter Kreis	großer kreis
✅	weißes Häkchen	abgehakt erledigt
☑️	abgehaktes Kästchen	abstimmungsfeld abstimmungsfeld mit häkchen ankreuz feld häkchen kästchen mit häkchen wahlurne ✓
✔️	kräftiges Häkchen	abhaken erledigt fertig haken
❌	Kreuzzeichen	abbrechen durchgestrichen mal multiplikation multiplizieren rotes kreuz x
❎	angekreuztes Kästchen	angekreuztes feld feld kreuzsymbol im quadrat quadrat x
➰	Schleife
➿	Doppelschleife	blau rechteck
〽️	Teilalternationszeichen	japanisch zeichensetzung
✳️	achtzackiger Stern	* grün quadrat
✴️	achtstrahliger Stern	*
❇️	Funkeln	* grün quadrat
©️	Copyright
®️	Registered-Trademark	markenzeichen
™️	Markenzeichen	tm trademark
#️⃣	Taste: #
*️⃣	Taste: *
0️⃣	Taste: 0	null
1️⃣	Taste: 1	eins
2️⃣	Taste: 2	zwei
3️⃣	Taste: 3	drei
4️⃣	Taste: 4	vier
5️⃣	Taste: 5	fünf
6️⃣	Taste: 6	sechs
7️⃣	Taste: 7	sieben
8️⃣	Taste: 8	acht
9️⃣	Taste: 9	neun
🔟	Taste: 10
🔠	Eingabesymbol lateinische Großbuchstaben	abcd großschreiben
🔡	Eingabesymbol lateinische Kleinbuchstaben
🔢	Eingabesymbol Zahlen	1234 ziffern
🔣	Eingabesymbol Sonderzeichen	% & keycap tastenkappe ♪ 〒
🔤	Eingabesymbol lateinische Buchstaben	abc alphabet
🅰️	Großbuchstabe A in rotem Quadrat	blut blutgruppe negativ positiv
🆎	Großbuchstaben AB in rotem Quadrat	blut blutgruppe negativ positiv
🅱️	Großbuchstabe B in rotem Quadrat	blut blutgruppe negativ positiv
🆑	Großbuchstaben CL in rotem Quadrat
🆒	Wort „Cool“ in blauem Quadrat
🆓	Wort „Free“ in blauem Quadrat
ℹ️	Buchstabe „i“ in blauem Quadrat	information
🆔	Großbuchstaben ID in lila Quadrat
Ⓜ️	Buchstabe „M“ in Kreis	eingekreist großbuchstabe
🆕	Wort „New“ in blauem Quadrat	neu
🆖	Großbuchstaben NG in blauem Quadrat
🅾️	Großbuchstabe O in rotem Quadrat	0 blut blutgruppe negativ positiv
🆗	Großbuchstaben OK in blauem Quadrat	keycap okay taste tastenkappe
🅿️	Großbuchstabe P in blauem Quadrat	parken parkplatz taste
🆘	SOS-Zeichen	hilfe
🆙	Schriftzug „UP!“ im blauen Quadrat	keycap taste tastenkappe
🆚	Schriftzug VS in orangem Quadrat	gegen taste versus
🈁	Schriftzeichen „koko“	japanisches schriftzeichen
🈂️	Schriftzeichen „sa“	japanisches schriftzeichen
🈷️	Schriftzeichen für „Monatsbetrag“	japanisch monatlich mond taste
🈶	Schriftzeichen für „nicht gratis“	berechnen existieren japanisch taste
🈯	Schriftzeichen für „reserviert“	finger japanisches schriftzeichen schriftzeichen für „finger“
🉐	Schriftzeichen für „Schnäppchen“	japanisches schriftzeichen schriftzeichen für „vorteil“ vorteil
🈹	Schriftzeichen für „Rabatt“	japanisches schriftzeichen schriftzeichen für „teilen“ teilen
🈚	Schriftzeichen für „gratis“	japanisches schriftzeichen schriftzeichen für „verhandlung“ verhandlung
🈲	Schriftzeichen für „verbieten“	japanisches schriftzeichen kanji
🉑	Schriftzeichen für „akzeptieren“	japanisch
🈸	Schriftzeichen für „anwenden“	chinesisches schriftzeichen japanisches schriftzeichen
🈴	Schriftzeichen für „Note zum Bestehen“	bestanden chinesisches schriftzeichen japanisches schriftzeichen schriftzeichen für „zusammen“ zusammen
🈳	Schriftzeichen für „Zimmer frei“	chinesisches schriftzeichen japanisches schriftzeichen leer schriftzeichen für „leer“
㊗️	Schriftzeichen für „Gratulation“	chinesisches schriftzeichen japanisches schriftzeichen
㊙️	Schriftzeichen für „Geheimnis“	chinesisches schriftzeichen japanisches schriftzeichen
🈺	Schriftzeichen für „Geöffnet“	betrieb chinesisches schriftzeichen japanisches schriftzeichen schriftzeichen für „betrieb“
🈵	Schriftzeichen für „Kein Zimmer frei“	belegt besetzt chinesisches schriftzeichen fülle japanisches schriftzeichen kanji schriftzeichen für „fülle“
🔴	roter Punkt	ball
🟠	oranger Punkt	form kreis orange scheibe oranger kreis
🟡	gelber Punkt	form gelbe scheibe gelber kreis kreis scheibe
🟢	grüner Punkt	form grüne scheibe grüner kreis kreis
🔵	blauer Punkt	ball großer blauer kreis kreis
🟣	lila Punkt	form kreis scheibe violett
🟤	brauner Punkt	braune scheibe brauner kreis form kreis
⚫	schwarzer Punkt	ball großer schwarzer kreis kreis rund
⚪	weißer Punkt	ball großer weißer kreis kreis
🟥	rotes Quadrat	form rotes viereck viereck
🟧	oranges Quadrat	form oranges viereck viereck
🟨	gelbes Quadrat	form gelbes viereck viereck
🟩	grünes Quadrat	form grünes viereck viereck
🟦	blaues Quadrat	blaues viereck form viereck
🟪	lila Quadrat	form viereck violett
🟫	braunes Quadrat	braunes viereck form viereck
⬛	großes schwarzes Quadrat
⬜	großes weißes Quadrat
◼️	mittelgroßes schwarzes Quadrat
◻️	mittelgroßes weißes Quadrat
◾	mittelkleines schwarzes Quadrat
◽	mittelkleines weißes Quadrat	geometrisch
▪️	kleines schwarzes Quadrat	punkt
▫️	kleines weißes Quadrat
🔶	große orangefarbene Raute
🔷	große blaue Raute
🔸	kleine orangefarbene Raute
🔹	kleine blaue Raute
🔺	rotes Dreieck mit der Spitze nach oben	aufwärts rotes dreieck mit spitze oben
🔻	rotes Dreieck mit der Spitze nach unten	abwärts
💠	Rautenform mit Punkt	diamant
🔘	Optionsfeld	schaltfläche
🔳	weiße quadratische Schaltfläche
🔲	schwarze quadratische Schaltfläche`,
  `🏁	Zielflagge	formel 1 karierte flagge nascar rennen sport
🚩	Wimpel	dreiecksflagge flagge rot standortflagge
🎌	überkreuzte Flaggen	japan japanische flaggen
🏴	schwarze Flagge	fahne schwarze fahne wehen wehende schwarze fahne
🏳️	weiße Flagge	fahne wehen wehende weiße fahne weiße fahne
🏳️‍🌈	Regenbogenflagge	bisexuell bunt fahne lesbisch lgbt lgbtq pride queer schwul trans
🏳️‍⚧️	Transgender-Flagge
🏴‍☠️	Piratenflagge	jolly roger piratenfahne schatz
🇦🇨	Flagge: Ascension	AC
🇦🇩	Flagge: Andorra	AD
🇦🇪	Flagge: Vereinigte Arabische Emirate	AE
🇦🇫	Flagge: Afghanistan
🇦🇬	Flagge: Antigua und Barbuda
🇦🇮	Flagge: Anguilla	AI
🇦🇱	Flagge: Albanien
🇦🇲	Flagge: Armenien	AM
🇦🇴	Flagge: Angola	AO
🇦🇶	Flagge: Antarktis	AQ
🇦🇷	Flagge: Argentinien
🇦🇸	Flagge: Amerikanisch-Samoa	AS
🇦🇹	Flagge: Österreich	AT
🇦🇺	Flagge: Australien
🇦🇼	Flagge: Aruba	AW
🇦🇽	Flagge: Ålandinseln	AX
🇦🇿	Flagge: Aserbaidschan	AZ
🇧🇦	Flagge: Bosnien und Herzegowina	BA
🇧🇧	Flagge: Barbados	BB
🇧🇩	Flagge: Bangladesch	BD
🇧🇪	Flagge: Belgien
🇧🇫	Flagge: Burkina Faso	BF
🇧🇬	Flagge: Bulgarien	BG
🇧🇭	Flagge: Bahrain	BH
🇧🇮	Flagge: Burundi	BI
🇧🇯	Flagge: Benin	BJ
🇧🇱	Flagge: St. Barthélemy	BL
🇧🇲	Flagge: Bermuda	BM
🇧🇳	Flagge: Brunei Darussalam	BN
🇧🇴	Flagge: Bolivien
🇧🇶	Flagge: Karibische Niederlande	BQ
🇧🇷	Flagge: Brasilien
🇧🇸	Flagge: Bahamas	BS
🇧🇹	Flagge: Bhutan	BT
🇧🇻	Flagge: Bouvetinsel	BV
🇧🇼	Flagge: Botsuana	BW
🇧🇾	Flagge: Belarus	BY
🇧🇿	Flagge: Belize	BZ
🇨🇦	Flagge: Kanada	CA
🇨🇨	Flagge: Kokosinseln	CC
🇨🇩	Flagge: Kongo-Kinshasa	CD
🇨🇫	Flagge: Zentralafrikanische Republik	CF
🇨🇬	Flagge: Kongo-Brazzaville	CG
🇨🇭	Flagge: Schweiz
🇨🇮	Flagge: Côte d’Ivoire	CI
🇨🇰	Flagge: Cookinseln	CK
🇨🇱	Flagge: Chile	CL
🇨🇲	Flagge: Kamerun	CM
🇨🇳	Flagge: China	CN
🇨🇴	Flagge: Kolumbien	CO
🇨🇵	Flagge: Clipperton-Insel	CP
🇨🇷	Flagge: Costa Rica	CR
🇨🇺	Flagge: Kuba	CU
🇨🇻	Flagge: Cabo Verde	CV
🇨🇼	Flagge: Curaçao	CW
🇨🇽	Flagge: Weihnachtsinsel	CX
🇨🇾	Flagge: Zypern	CY
🇨🇿	Flagge: Tschechien	CZ
🇩🇪	Flagge: Deutschland
🇩🇬	Flagge: Diego Garcia	DG
🇩🇯	Flagge: Dschibuti	DJ
🇩🇰	Flagge: Dänemark	DK
🇩🇲	Flagge: Dominica	DM
🇩🇴	Flagge: Dominikanische Republik
🇩🇿	Flagge: Algerien	DZ
🇪🇦	Flagge: Ceuta und Melilla	EA
🇪🇨	Flagge: Ecuador
🇪🇪	Flagge: Estland	EE
🇪🇬	Flagge: Ägypten	EG
🇪🇭	Flagge: Westsahara	EH
🇪🇷	Flagge: Eritrea
🇪🇸	Flagge: Spanien	ES
🇪🇹	Flagge: Äthiopien	ET
🇪🇺	Flagge: Europäische Union
🇫🇮	Flagge: Finnland
🇫🇯	Flagge: Fidschi	FJ
🇫🇰	Flagge: Falklandinseln	FK
🇫🇲	Flagge: Mikronesien	FM
🇫🇴	Flagge: Färöer	FO
🇫🇷	Flagge: Frankreich
🇬🇦	Flagge: Gabun
🇬🇧	Flagge: Vereinigtes Königreich	GB
🇬🇩	Flagge: Grenada	GD
🇬🇪	Flagge: Georgien
🇬🇫	Flagge: Französisch-Guayana	GF
🇬🇬	Flagge: Guernsey
🇬🇭	Flagge: Ghana
🇬🇮	Flagge: Gibraltar
🇬🇱	Flagge: Grönland	GL
🇬🇲	Flagge: Gambia	GM
🇬🇳	Flagge: Guinea	GN
🇬🇵	Flagge: Guadeloupe	GP
🇬🇶	Flagge: Äquatorialguinea	GQ
🇬🇷	Flagge: Griechenland
🇬🇸	Flagge: Südgeorgien und die Südlichen Sandwichinseln	GS
🇬🇹	Flagge: Guatemala	GT
🇬🇺	Flagge: Guam
🇬🇼	Flagge: Guinea-Bissau	GW
🇬🇾	Flagge: Guyana	GY
🇭🇰	Flagge: Sonderverwaltungsregion Hongkong	HK
🇭🇲	Flagge: Heard und McDonaldinseln	HM
🇭🇳	Flagge: Honduras	HN
🇭🇷	Flagge: Kroatien	HR
🇭🇹	Flagge: Haiti	HT
🇭🇺	Flagge: Ungarn	HU
🇮🇨	Flagge: Kanarische Inseln	IC
🇮🇩	Flagge: Indonesien	ID
🇮🇪	Flagge: Irland	IE
🇮🇱	Flagge: Israel	IL
🇮🇲	Flagge: Isle of Man	IM
🇮🇳	Flagge: Indien
🇮🇴	Flagge: Britisches Territorium im Indischen Ozean	IO
🇮🇶	Flagge: Irak	IQ
🇮🇷	Flagge: Iran
🇮🇸	Flagge: Island
🇮🇹	Flagge: Italien
🇯🇪	Flagge: Jersey
🇯🇲	Flagge: Jamaika	JM
🇯🇴	Flagge: Jordanien
🇯🇵	Flagge: Japan	JP
🇰🇪	Flagge: Kenia
🇰🇬	Flagge: Kirgisistan	KG
🇰🇭	Flagge: Kambodscha	KH
🇰🇮	Flagge: Kiribati
🇰🇲	Flagge: Komoren	KM
🇰🇳	Flagge: St. Kitts und Nevis	KN
🇰🇵	Flagge: Nordkorea	KP
🇰🇷	Flagge: Südkorea	KR
🇰🇼	Flagge: Kuwait	KW
🇰🇾	Flagge: Kaimaninseln	KY
🇰🇿	Flagge: Kasachstan	KZ
🇱🇦	Flagge: Laos
🇱🇧	Flagge: Libanon	LB
🇱🇨	Flagge: St. Lucia	LC
🇱🇮	Flagge: Liechtenstein
🇱🇰	Flagge: Sri Lanka	LK
🇱🇷	Flagge: Liberia	LR
🇱🇸	Flagge: Lesotho	LS
🇱🇹	Flagge: Litauen	LT
🇱🇺	Flagge: Luxemburg
🇱🇻	Flagge: Lettland	LV
🇱🇾	Flagge: Libyen	LY
🇲🇦	Flagge: Marokko
🇲🇨	Flagge: Monaco	MC
🇲🇩	Flagge: Republik Moldau	MD
🇲🇪	Flagge: Montenegro	ME
🇲🇫	Flagge: St. Martin	MF
🇲🇬	Flagge: Madagaskar	MG
🇲🇭	Flagge: Marshallinseln	MH
🇲🇰	Flagge: Nordmazedonien	MK
🇲🇱	Flagge: Mali	ML
🇲🇲	Flagge: Myanmar	MM
🇲🇳	Flagge: Mongolei	MN
🇲🇴	Flagge: Sonderverwaltungsregion Macau	MO
🇲🇵	Flagge: Nördliche Marianen	MP
🇲🇶	Flagge: Martinique	MQ
🇲🇷	Flagge: Mauretanien	MR
🇲🇸	Flagge: Montserrat	MS
🇲🇹	Flagge: Malta	MT
🇲🇺	Flagge: Mauritius	MU
🇲🇻	Flagge: Malediven	MV
🇲🇼	Flagge: Malawi	MW
🇲🇽	Flagge: Mexiko	MX
🇲🇾	Flagge: Malaysia	MY
🇲🇿	Flagge: Mosambik	MZ
🇳🇦	Flagge: Namibia
🇳🇨	Flagge: Neukaledonien	NC
🇳🇪	Flagge: Niger	NE
🇳🇫	Flagge: Norfolkinsel	NF
🇳🇬	Flagge: Nigeria	NG
🇳🇮	Flagge: Nicaragua
🇳🇱	Flagge: Niederlande	NL
🇳🇴	Flagge: Norwegen
🇳🇵	Flagge: Nepal	NP
🇳🇷	Flagge: Nauru	NR
🇳🇺	Flagge: Niue	NU
🇳🇿	Flagge: Neuseeland	NZ
🇴🇲	Flagge: Oman
🇵🇦	Flagge: Panama
🇵🇪	Flagge: Peru
🇵🇫	Flagge: Französisch-Polynesien	PF
🇵🇬	Flagge: Papua-Neuguinea	PG
🇵🇭	Flagge: Philippinen
🇵🇰	Flagge: Pakistan	PK
🇵🇱	Flagge: Polen	PL
🇵🇲	Flagge: St. Pierre und Miquelon	PM
🇵🇳	Flagge: Pitcairninseln	PN
🇵🇷	Flagge: Puerto Rico	PR
🇵🇸	Flagge: Palästinensische Autonomiegebiete	PS
🇵🇹	Flagge: Portugal	PT
🇵🇼	Flagge: Palau	PW
🇵🇾	Flagge: Paraguay	PY
🇶🇦	Flagge: Katar	QA
🇷🇪	Flagge: Réunion	RE
🇷🇴	Flagge: Rumänien	RO
🇷🇸	Flagge: Serbien	RS
🇷🇺	Flagge: Russland
🇷🇼	Flagge: Ruanda	RW
🇸🇦	Flagge: Saudi-Arabien
🇸🇧	Flagge: Salomonen	SB
🇸🇨	Flagge: Seychellen	SC
🇸🇩	Flagge: Sudan	SD
🇸🇪	Flagge: Schweden	SE
🇸🇬	Flagge: Singapur	SG
🇸🇭	Flagge: St. Helena	SH
🇸🇮	Flagge: Slowenien	SI
🇸🇯	Flagge: Spitzbergen und Jan Mayen	SJ
🇸🇰	Flagge: Slowakei	SK
🇸🇱	Flagge: Sierra Leone	SL
🇸🇲	Flagge: San Marino	SM
🇸🇳	Flagge: Senegal	SN
🇸🇴	Flagge: Somalia
🇸🇷	Flagge: Suriname	SR
🇸🇸	Flagge: Südsudan	SS
🇸🇹	Flagge: São Tomé und Príncipe	ST
🇸🇻	Flagge: El Salvador	SV
🇸🇽	Flagge: Sint Maarten	SX
🇸🇾	Flagge: Syrien
🇸🇿	Flagge: Eswatini	SZ
🇹🇦	Flagge: Tristan da Cunha
🇹🇨	Flagge: Turks- und Caicosinseln	TC
🇹🇩	Flagge: Tschad	TD
🇹🇫	Flagge: Französische Süd- und Antarktisgebiete	TF
🇹🇬	Flagge: Togo	TG
🇹🇭	Flagge: Thailand
🇹🇯	Flagge: Tadschikistan	TJ
🇹🇰	Flagge: Tokelau	TK
🇹🇱	Flagge: Timor-Leste	TL
🇹🇲	Flagge: Turkmenistan	TM
🇹🇳	Flagge: Tunesien	TN
🇹🇴	Flagge: Tonga
🇹🇷	Flagge: Türkei	TR
🇹🇹	Flagge: Trinidad und Tobago	TT
🇹🇻	Flagge: Tuvalu	TV
🇹🇼	Flagge: Taiwan	TW
🇹🇿	Flagge: Tansania	TZ
🇺🇦	Flagge: Ukraine	UA
🇺🇬	Flagge: Uganda
🇺🇲	Flagge: Amerikanische Überseeinseln	UM
🇺🇳	Flagge: Vereinte Nationen	UN
🇺🇸	Flagge: Vereinigte Staaten	US
🇺🇾	Flagge: Uruguay	UY
🇺🇿	Flagge: Usbekistan	UZ
🇻🇦	Flagge: Vatikanstadt
🇻🇨	Flagge: St. Vincent und die Grenadinen	VC
🇻🇪	Flagge: Venezuela
🇻🇬	Flagge: Britische Jungferninseln	VG
🇻🇮	Flagge: Amerikanische Jungferninseln	VI
🇻🇳	Flagge: Vietnam	VN
🇻🇺	Flagge: Vanuatu	VU
🇼🇫	Flagge: Wallis und Futuna	WF
🇼🇸	Flagge: Samoa	WS
🇽🇰	Flagge: Kosovo	XK
🇾🇪	Flagge: Jemen	YE
🇾🇹	Flagge: Mayotte	YT
🇿🇦	Flagge: Südafrika	ZA
🇿🇲	Flagge: Sambia	ZM
🇿🇼	Flagge: Simbabwe	ZW
🏴󠁧󠁢󠁥󠁮󠁧󠁿	Flagge: England	gbeng
🏴󠁧󠁢󠁳󠁣󠁴󠁿	Flagge: Schottland	gbsct
🏴󠁧󠁢󠁷󠁬󠁳󠁿	Flagge: Wales	gbwls`,
]

export default groups
