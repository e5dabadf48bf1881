"""The MARC code list for relators (https://www.loc.gov/marc/relators/): codes, and the words for them."""

from __future__ import annotations

import unicodedata

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
aut: joint author, автор, авт, соавтор, соавт, автор текста, авт. текста, текст
com: comp, составитель, сост, автор-составитель, авт.-сост
edt: ed, eds, joint editor, редактор, ред, отв. ред, ответственный редактор, под ред, гл. ред, главный редактор,
     науч. ред, научный редактор, общ. ред, под общ. ред, подгот. изд, изд. подгот, подготовка издания, подгот. текста,
     подготовка текста, подгот. текстов, подгот. к изд, подгот. к печати, текст подгот
edc: ред.-сост, редактор-составитель
trl: tr, trans, переводчик, пер, перевод
ill: ill, illus, художник, худож, иллюстратор, илл, ил, рис, художник-иллюстратор
bkd: оформ, оформление, художественное оформление, худож. оформ
cov: худож. обл, художник обложки
cmp: композитор, комп, муз, автор музыки, авт. музыки
arr: аранжировщик, аранж
lbt: либреттист, либретто, авт. либретто
lyr: автор слов, авт. слов, слова
prf: исполнитель, исполн, исп
sng: певец, певица, вокал
cnd: дирижер, дириж
nrt: чтец, чит
drt: режиссер, реж
aus: сценарист, автор сценария, авт. сценария
pht: фотограф, фото, фотогр, фот
ctg: картограф
egr: гравер, грав
aui: вступ. ст, автор вступительной статьи, авт. вступ. ст, вступительная статья, предисл, предисловие,
     автор предисловия, авт. предисл, введение, авт. введения
aft: послесл, послесловие, автор послесловия, авт. послесл
cwt: коммент, комментарии, комментатор, авт. коммент, примеч, примечания, авт. примеч, сост. коммент, сост. примеч
adp: адаптация, лит. обраб, литературная обработка
col: собиратель, собрал
rev: рецензент, рец
ths: науч. рук, научный руководитель
opn: оппонент
dgg: место защиты
dnr: дар, даритель
csl: консультант, науч. консультант
ivr: интервьюер
fmo: бывший владелец
own: владелец
pbl: издатель
prt: типография, печатник
isb: издающая организация
"""
"""Code: forms that cataloguers write under older rules and in Russian, without the last full stop."""


def _normal(term: str) -> str:
    text = unicodedata.normalize("NFC", term).casefold().replace("ё", "е").strip(" .,;:[]()")
    return " ".join(text.replace(".", ". ").split()).replace(". -", ".-")


def _table() -> dict[str, str]:
    found = {_normal(term): code for code, term in TERM_OF_RELATOR.items()}
    for entry in _OTHER_TERMS.replace("\n     ", " ").strip().splitlines():
        code, _, terms = entry.partition(":")
        found |= {_normal(term): code for term in terms.split(",")}
    return found


_RELATOR_OF_TERM = _table()


def relator_of(term: str) -> str | None:
    """Return the code of a relator term in any case, with or without brackets and full stop; None if it is unknown.

    >>> relator_of("Illustrator."), relator_of("отв.ред."), relator_of("придворный поэт")
    ('ill', 'edt', None)
    """
    return _RELATOR_OF_TERM.get(_normal(term))
