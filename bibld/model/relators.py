"""The MARC code list for relators (https://www.loc.gov/marc/relators/): codes, and the words for them."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

TERM_OF_RELATOR = {
    "abr": "abridger", "acp": "art copyist", "act": "actor", "adi": "art director", "adp": "adapter",
    "aft": "author of afterword, colophon, etc.", "anc": "announcer", "anl": "analyst", "anm": "animator",
    "ann": "annotator", "ant": "bibliographic antecedent", "ape": "appellee", "apl": "appellant", "app": "applicant",
    "aqt": "author in quotations or text abstracts", "arc": "architect", "ard": "artistic director",
    "arr": "arranger", "art": "artist", "asg": "assignee", "asn": "associated name", "ato": "autographer",
    "att": "attributed name", "auc": "auctioneer", "aud": "author of dialog",
    "aue": "audio engineer", "aui": "author of introduction, etc.", "aup": "audio producer", "aus": "screenwriter",
    "aut": "author", "bdd": "binding designer", "bjd": "bookjacket designer", "bka": "book artist",
    "bkd": "book designer", "bkp": "book producer", "blw": "blurb writer", "bnd": "binder",
    "bpd": "bookplate designer", "brd": "broadcaster", "brl": "braille embosser", "bsl": "bookseller",
    "cad": "casting director", "cas": "caster", "ccp": "conceptor", "chr": "choreographer", "cli": "client",
    "cll": "calligrapher", "clr": "colorist", "clt": "collotyper", "cmm": "commentator", "cmp": "composer",
    "cmt": "compositor", "cnd": "conductor", "cng": "cinematographer", "cns": "censor",
    "coe": "contestant-appellee", "col": "collector", "com": "compiler", "con": "conservator",
    "cop": "camera operator", "cor": "collection registrar", "cos": "contestant", "cot": "contestant-appellant",
    "cou": "court governed", "cov": "cover designer", "cpc": "copyright claimant", "cpe": "complainant-appellee",
    "cph": "copyright holder", "cpl": "complainant", "cpt": "complainant-appellant", "cre": "creator",
    "crp": "correspondent", "crr": "corrector", "crt": "court reporter", "csl": "consultant",
    "csp": "consultant to a project", "cst": "costume designer", "ctb": "contributor", "cte": "contestee-appellee",
    "ctg": "cartographer", "ctr": "contractor", "cts": "contestee", "ctt": "contestee-appellant", "cur": "curator",
    "cwt": "commentator for written text", "dbd": "dubbing director", "dbp": "distribution place",
    "dfd": "defendant", "dfe": "defendant-appellee", "dft": "defendant-appellant", "dgc": "degree committee member",
    "dgg": "degree granting institution", "dgs": "degree supervisor", "dis": "dissertant", "djo": "DJ",
    "dln": "delineator", "dnc": "dancer", "dnr": "donor", "dpc": "depicted", "dpt": "depositor", "drm": "draftsman",
    "drt": "director", "dsr": "designer", "dst": "distributor", "dtc": "data contributor", "dte": "dedicatee",
    "dtm": "data manager", "dto": "dedicator", "dub": "dubious author", "edc": "editor of compilation",
    "edd": "editorial director", "edm": "editor of moving image work", "edt": "editor", "egr": "engraver",
    "elg": "electrician", "elt": "electrotyper", "eng": "engineer", "enj": "enacting jurisdiction", "etr": "etcher",
    "evp": "event place", "exp": "expert", "fac": "facsimilist", "fds": "film distributor", "fld": "field director",
    "flm": "film editor", "fmd": "film director", "fmk": "filmmaker", "fmo": "former owner", "fmp": "film producer",
    "fnd": "funder", "fon": "founder", "fpy": "first party", "frg": "forger", "gdv": "game developer",
    "gis": "geographic information specialist", "his": "host institution", "hnr": "honoree", "hst": "host",
    "ill": "illustrator", "ilu": "illuminator", "inm": "intermedia artist", "ins": "inscriber", "inv": "inventor",
    "isb": "issuing body", "itr": "instrumentalist", "ive": "interviewee", "ivr": "interviewer", "jud": "judge",
    "jug": "jurisdiction governed", "lbr": "laboratory", "lbt": "librettist", "ldr": "laboratory director",
    "led": "lead", "lee": "libelee-appellee", "lel": "libelee", "len": "lender", "let": "libelee-appellant",
    "lgd": "lighting designer", "lie": "libelant-appellee", "lil": "libelant", "lit": "libelant-appellant",
    "lsa": "landscape architect", "lse": "licensee", "lso": "licensor", "ltg": "lithographer", "ltr": "letterer",
    "lyr": "lyricist", "mcp": "music copyist", "mdc": "metadata contact", "med": "medium",
    "mfp": "manufacture place", "mfr": "manufacturer", "mka": "makeup artist", "mod": "moderator", "mon": "monitor",
    "mrb": "marbler", "mrk": "markup editor", "msd": "musical director", "mte": "metal-engraver",
    "mtk": "minute taker", "mup": "music programmer", "mus": "musician", "mxe": "mixing engineer",
    "nan": "news anchor", "nrt": "narrator", "onp": "onscreen participant", "opn": "opponent", "org": "originator",
    "orm": "organizer", "osp": "onscreen presenter", "oth": "other", "own": "owner", "pad": "place of address",
    "pan": "panelist", "pat": "patron", "pbd": "publisher director", "pbl": "publisher",
    "pdr": "project director", "pfr": "proofreader", "pht": "photographer", "plt": "platemaker",
    "pma": "permitting agency", "pmn": "production manager", "pop": "printer of plates", "ppm": "papermaker",
    "ppt": "puppeteer", "pra": "praeses", "prc": "process contact", "prd": "production personnel",
    "pre": "presenter", "prf": "performer", "prg": "programmer", "prm": "printmaker", "prn": "production company",
    "pro": "producer", "prp": "production place", "prs": "production designer", "prt": "printer", "prv": "provider",
    "pta": "patent applicant", "pte": "plaintiff-appellee", "ptf": "plaintiff", "pth": "patent holder",
    "ptt": "plaintiff-appellant", "pup": "publication place", "rap": "rapporteur", "rbr": "rubricator",
    "rcd": "recordist", "rce": "recording engineer", "rcp": "addressee", "rdd": "radio director", "red": "redaktor",
    "ren": "renderer", "res": "researcher", "rev": "reviewer", "rpc": "radio producer", "rps": "repository",
    "rpt": "reporter", "rpy": "responsible party", "rse": "respondent-appellee", "rsg": "restager",
    "rsp": "respondent", "rsr": "restorationist", "rst": "respondent-appellant", "rth": "research team head",
    "rtm": "research team member", "rxa": "remix artist", "sad": "scientific advisor", "sce": "scenarist",
    "scl": "sculptor", "scr": "scribe", "sde": "sound engineer", "sds": "sound designer", "sec": "secretary",
    "sfx": "special effects provider", "sgd": "stage director", "sgn": "signer", "sht": "supporting host",
    "sll": "seller", "sng": "singer", "spk": "speaker", "spn": "sponsor", "spy": "second party", "srv": "surveyor",
    "std": "set designer", "stg": "setting", "stl": "storyteller", "stm": "stage manager",
    "stn": "standards body", "str": "stereotyper", "swd": "software developer", "tad": "technical advisor",
    "tau": "television writer", "tcd": "technical director", "tch": "teacher", "ths": "thesis advisor",
    "tld": "television director", "tlg": "television guest", "tlh": "television host", "tlp": "television producer",
    "trc": "transcriber", "trl": "translator", "tyd": "type designer", "tyg": "typographer",
    "uvp": "university place", "vac": "voice actor", "vdg": "videographer", "vfx": "visual effects provider",
    "voc": "vocalist", "wac": "writer of added commentary", "wal": "writer of added lyrics",
    "wam": "writer of accompanying material", "wat": "writer of added text", "waw": "writer of afterword",
    "wdc": "woodcutter", "wde": "wood engraver", "wfs": "writer of film story", "wft": "writer of intertitles",
    "wfw": "writer of foreword", "win": "writer of introduction", "wit": "witness", "wpr": "writer of preface",
    "wst": "writer of supplementary textual content", "wts": "writer of television story",
}  # fmt: skip
"""The term of each code, in lower case."""

_OTHER_TERMS = """
aut: joint author, co-author, coauthor, by, writer, text by, autor, co-autor, verf, verfasser, verfasserin,
     auteur, coauteur, autore, autora, författare, förf, kirjoittaja, tekijä, автор, авт, авторы, соавтор, соавт,
     автор текста, авт. текста, текст
att: supposed author, attributed author, mutmaßlicher verfasser, auteur prétendu, предполагаемый автор, предполаг. авт
com: comp, comps, compil, joint compiler, zusammenstellender, compilateur, compilatrice, compilatore, kompilator,
     kokooja, составитель, составители, сост, автор-составитель, авт.-сост
edt: ed, eds, edit, editors, edited by, joint editor, joint ed, co-editor, coeditor, general editor, general ed,
     gen. ed, chief editor, editor-in-chief, managing editor, associate editor, assistant editor, volume editor,
     series editor, scientific editor, academic editor, hrsg, hg, hrsg. von, herausgeber, herausgeberin, bearb,
     éd, éditeur scientifique, éd. sci, éd. scient, éditeur intellectuel, sous la direction de,
     curatore, a cura di, utg, utgivare, redaktör, toimittaja, editor literario,
     red, red. nauk, vědecký redaktor, редактор, редакторы, ред, отв. ред, ответственный редактор, под ред, гл. ред,
     главный редактор, науч. ред, научный редактор, лит. ред, литературный редактор, общ. ред, под общ. ред,
     спец. ред, тит. ред, подгот. изд, изд. подгот, подготовка издания, подгот. текста, подготовка текста,
     подгот. текстов, подгот. к изд, подгот. к печати, текст подгот
edc: ред.-сост, редактор-составитель, сост.-ред, anthologist, editor of anthology
trl: tr, trans, transl, translators, translated by, joint translator, übers, übersetzer, übersetzerin, übertr,
     uebersetzer, trad, traducteur, traductrice, traducción, traductor, traductora, traduttore, traduttrice,
     tradutor, övers, översättare, kääntäjä, suomentaja, překl, překladatel, tłum, tłumacz, przekł, переводчик,
     переводчики, пер, перевод, перев
ill: ill, illus, illustrated by, illustrators, illustratör, illustrateur, illustratrice, illustratorin, ilustrador,
     illustratore, kuvittaja, ilustrátor, художник, художники, худож, иллюстратор, илл, ил, рис,
     художник-иллюстратор
bkd: оформ, оформление, художественное оформление, худож. оформ, buchgestalter, maquettiste
cov: худож. обл, художник обложки, umschlaggestalter
art: künstler, künstlerin, artiste, konstnär, taiteilija
cmp: compos, composed by, music by, komp, komponist, komponistin, compositeur, compositrice, compositore,
     tonsättare, säveltäjä, skladatel, композитор, комп, муз, автор музыки, авт. музыки
arr: arr. by, arranged by, arrangeur, sovittaja, arrangör, аранжировщик, аранж
lbt: librettiste, librettista, librettisten, либреттист, либретто, авт. либретто
lyr: words by, textdichter, parolier, parolière, sanoittaja, textförfattare, автор слов, авт. слов, слова
prf: performers, perf, performed by, interpr, ausführender, interpret, interprète, exécutant, intérprete, interprete,
     esittäjä, soprano, alto, tenor, baritone, bass, исполнитель, исполнители, исполн, исп
itr: instrumentalmusiker, instrumentiste, instrumentalista, piano, violin, viola, cello, violoncello, flute, guitar,
     organ, harpsichord, viulu, alttoviulu, sello, selo, kitara, urut, huilu
mus: musiker, musikerin, musicien, musicienne
sng: sänger, sängerin, chanteur, chanteuse, cantante, laulaja, sångare, певец, певица, вокал
voc: vocals
cnd: dirigent, dirigentin, chef d'orchestre, directeur d'orchestre, kapellimestari, дирижер, дириж
nrt: read by, reader, erzähler, sprecher, narrateur, récitant, lukija, чтец, чит
act: schauspieler, acteur, actrice, актер, актриса
spk: speakers, redner
drt: regie, regisseur, réalisateur, regista, ohjaaja, режиссер, реж
aus: scenario by, drehbuchautor, scénariste, сценарист, автор сценария, авт. сценария
pro: produzent, producteur, продюсер
pht: photos by, photographs by, fotograf, fotografin, photographe, fotógrafo, fotografo, valokuvaaja, фотограф, фото,
     фотогр, фот
ctg: cartog, kartograf, kartographin, kartograph, cartographe, cartografo, картограф
egr: stecher, kupferstecher, graveur, гравер, грав
ltg: lithograph, lithographe, литограф
wde: holzstecher
arc: architekt, architecte, архитектор, архит
scl: bildhauer, sculpteur, скульптор, скульпт
aui: introd, intr, preface by, with an introduction by, introduction by, auteur d'introduction,
     вступ. ст, автор вступительной статьи, авт. вступ. ст, вступительная статья, предисл, предисловие,
     автор предисловия, авт. предисл, введение, авт. введения
wpr: pref, préf, préfacier, préfacière, préface, verfasser eines vorworts, verfasser des vorworts
wfw: foreword by, verfasser eines geleitworts
win: verfasser einer einleitung
aft: afterword by, postf, postface, postfacier, verfasser eines nachworts, verfasser des nachworts, послесл,
     послесловие, автор послесловия, авт. послесл
cwt: commentary by, komm, kommentator, kommentar, commentateur, verfasser eines kommentars, коммент, комментарии,
     комментатор, авт. коммент, примеч, примечания, авт. примеч, сост. коммент, сост. примеч
adp: adapted by, adaptateur, adaptatrice, адаптация, лит. обраб, литературная обработка
abr: abridged by
col: collected by, sammler, собиратель, собрал
rev: рецензент, рец, rezensent
ths: doktorvater, directeur de thèse, науч. рук, научный руководитель
dgs: akademischer betreuer
opn: оппонент
dgg: место защиты, grad-verleihende institution
dis: doktorand
dnr: дар, даритель, donateur
dte: widmungsempfänger, dédicataire, адресат посвящения
hnr: gefeierter, gefeierte, personne honorée
csl: консультант, науч. консультант, berater
cns: цензор, zensor
ivr: интервьюер
ive: interviewter
rcp: адресат, адресат письма
cre: schöpfer, créateur
ctb: contrib, contributors, collab, collaborator, assisted by, mitwirkender, mitwirkende, mitarb, mitarbeiter,
     mitarbeiterin, collaborateur, collaboratrice, collaboratore, colaborador, medarbetare, при участии, сотрудник
fmo: vorbesitzer, früherer besitzer, ancien possesseur, бывший владелец
own: eigentümer, besitzer, владелец
pbd: directeur de publication, dir. de publ
pbl: publ, pub, verlag, verleger, éditeur commercial, editore, kustantaja, förläggare, издатель, изд, издательство
prt: druck, drucker, impr, imprimeur, stampatore, tipografo, boktryckare, типография, печатник, тип
bsl: buchhändler, libraire, книготорговец
isb: issued by, herausgebendes organ, collectivité éditrice, издающая организация
his: gastgebende institution
spn: sponsors, sponsored by, sponsoring body, спонсор
fnd: geldgeber, mécène
enj: normerlassende gebietskörperschaft
oth: sonstige, sonstiger, autre, прочее
"""
"""Code: forms that cataloguers write under older rules and in other languages, without points."""

_WORD = re.compile(r"[^\W_]+")
_BETWEEN_ROLES = re.compile(r"[,;/&+]|\b(?:and|und|et|e|y|и)\b", re.IGNORECASE)


def _normal(term: str) -> str:
    text = unicodedata.normalize("NFC", term).casefold().replace("ё", "е")
    return " ".join(_WORD.findall(text))


def _table() -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in _OTHER_TERMS.replace("\n     ", " ").strip().splitlines():
        code, _, terms = entry.partition(":")
        found |= {_normal(term): code for term in terms.split(",")}
    return found | {_normal(term): code for code, term in TERM_OF_RELATOR.items()}


_RELATOR_OF_TERM = _table()


def relator_of(term: str) -> str | None:
    """Return the code of a relator term in any case, with or without brackets and points; None if it is unknown.

    >>> relator_of("Illustrator."), relator_of("отв.ред."), relator_of("Hrsg."), relator_of("придворный поэт")
    ('ill', 'edt', 'edt', None)
    """
    return _RELATOR_OF_TERM.get(_normal(term))


@lru_cache(maxsize=4096)
def relators_of(term: str) -> tuple[str, ...]:
    """Return the codes of the roles that a text names, also if they are joined; empty if one of them is unknown.

    >>> relators_of("ed. and tr."), relators_of("author, editor")
    (('edt', 'trl'), ('aut', 'edt'))
    >>> relators_of("editor and friend")
    ()
    """
    code = relator_of(term)
    if code is not None:
        return (code,)
    codes = [relator_of(part) for part in _BETWEEN_ROLES.split(term) if _normal(part)]
    return tuple(dict.fromkeys(code for code in codes if code is not None)) if all(codes) else ()
