"""Codes of UNIMARC and RUSMARC, and the terms of MODS for them: leader, coded data fields, relators, links.

The codes are those of RUSMARC, edition of 2015; where UNIMARC has more, its codes are added. A code that states
nothing (unknown, none, not applicable, other) is in no table. Where the manual prints a Cyrillic letter that looks like
a Latin one (``а``, ``с``, ``е``, ``о``, ``р``, ``х``), files contain both, and :func:`latin` makes them one.
"""

from __future__ import annotations

from typing import NamedTuple

_LOOKALIKE = str.maketrans("асеорхуАСЕОРХУ", "aceopxyACEOPXY")
_BLANK = str.maketrans("|#¦", "   ")


def latin(code: str) -> str:
    """Return a code in lower case, with Latin letters for Cyrillic ones that look the same."""
    return code.translate(_LOOKALIKE).lower()


def without_fill(text: str) -> str:
    """Return a text with blanks for fill characters (``|``, also ``¦``) and for ``#``; positions do not change."""
    return text.translate(_BLANK)


TYPE_OF_RESOURCE = {
    "a": "text", "b": "text", "c": "notated music", "d": "notated music", "e": "cartographic", "f": "cartographic",
    "g": "moving image", "i": "sound recording-nonmusical", "j": "sound recording-musical", "k": "still image",
    "l": "software, multimedia", "m": "mixed material", "r": "three dimensional object",
}  # fmt: skip
"""Leader 06. Note that l is an electronic resource and m multimedia, unlike MARC 21."""

MANUSCRIPT = "bdf"
"""Leader 06 of manuscripts."""

ISSUANCE = {"a": "monographic", "c": "monographic", "m": "monographic", "s": "serial", "i": "integrating resource"}
"""Leader 07."""

ENCODING_LEVEL = {"1": "sublevel 1", "2": "sublevel 2", "3": "sublevel 3"}
"""Leader 17, where the record is not complete."""

AUDIENCE = {"a": "juvenile", "b": "preschool", "c": "juvenile", "d": "juvenile", "e": "adolescent",
            "k": "specialized", "m": "general"}  # fmt: skip
"""100$a/17-19, in the words of marctarget."""

ORIGINAL_LANGUAGE = {
    "b": "intermediate translation", "c": "translation", "d": "summary", "e": "table of contents", "h": "libretto",
    "i": "accompanying material", "j": "subtitles",
}  # fmt: skip
"""101: the part of the resource that a subfield describes."""

LANGUAGE = {
    # ISO 639-1
    "ar": "ara", "az": "aze", "ba": "bak", "be": "bel", "bg": "bul", "ca": "cat", "cs": "cze", "cu": "chu",
    "cv": "chv", "da": "dan", "de": "ger", "el": "gre", "en": "eng", "eo": "epo", "es": "spa", "et": "est",
    "fa": "per", "fi": "fin", "fr": "fre", "he": "heb", "hi": "hin", "hr": "hrv", "hu": "hun", "hy": "arm",
    "is": "ice", "it": "ita", "ja": "jpn", "ka": "geo", "kk": "kaz", "ko": "kor", "ky": "kir", "la": "lat",
    "lt": "lit", "lv": "lav", "mk": "mac", "mn": "mon", "nl": "dut", "no": "nor", "os": "oss", "pl": "pol",
    "pt": "por", "ro": "rum", "ru": "rus", "sk": "slo", "sl": "slv", "sr": "srp", "sv": "swe", "tg": "tgk",
    "tk": "tuk", "tr": "tur", "tt": "tat", "uk": "ukr", "uz": "uzb", "vi": "vie", "yi": "yid", "zh": "chi",
    # the terminological codes of ISO 639-2
    "bod": "tib", "ces": "cze", "cym": "wel", "deu": "ger", "ell": "gre", "eus": "baq", "fas": "per", "fra": "fre",
    "hye": "arm", "isl": "ice", "kat": "geo", "mkd": "mac", "mri": "mao", "msa": "may", "mya": "bur", "nld": "dut",
    "ron": "rum", "slk": "slo", "sqi": "alb", "zho": "chi",
    # codes withdrawn from the MARC list that ISO 639-2/B succeeded
    "ajm": "jrb", "cam": "khm", "esk": "ypk", "esp": "epo", "eth": "gez", "far": "fao", "fri": "fry", "gae": "gla",
    "gag": "glg", "gal": "orm", "gua": "grn", "int": "ina", "iri": "gle", "kus": "kos", "lan": "oci", "lap": "smi",
    "max": "glv", "mla": "mlg", "mol": "rum", "sao": "smo", "scc": "srp", "scr": "hrv", "sho": "sna", "snh": "sin",
    "sso": "sot", "swz": "ssw", "tag": "tgl", "taj": "tgk", "tar": "tat", "tru": "chk", "tsw": "tsn",
}  # fmt: skip
"""Other codes that records have in place of one of ISO 639-2/B, and that code."""

COUNTRY_OF_THREE_LETTERS = {
    "ARG": "AR", "ARM": "AM", "AUS": "AU", "AUT": "AT", "AZE": "AZ", "BEL": "BE", "BGR": "BG", "BLR": "BY", "BRA": "BR",
    "CAN": "CA", "CHE": "CH", "CHN": "CN", "CSK": "CS", "CUB": "CU", "CZE": "CZ", "DDR": "DD", "DEU": "DE", "DNK": "DK",
    "EGY": "EG", "ESP": "ES", "EST": "EE", "FIN": "FI", "FRA": "FR", "GBR": "GB", "GEO": "GE", "GRC": "GR", "HRV": "HR",
    "HUN": "HU", "IND": "IN", "IRL": "IE", "IRN": "IR", "ISL": "IS", "ISR": "IL", "ITA": "IT", "JPN": "JP", "KAZ": "KZ",
    "KGZ": "KG", "KOR": "KR", "LTU": "LT", "LVA": "LV", "MDA": "MD", "MEX": "MX", "MKD": "MK", "MNG": "MN", "NLD": "NL",
    "NOR": "NO", "POL": "PL", "PRK": "KP", "PRT": "PT", "ROM": "RO", "ROU": "RO", "RUS": "RU", "SRB": "RS", "SUN": "SU",
    "SVK": "SK", "SVN": "SI", "SWE": "SE", "TJK": "TJ", "TKM": "TM", "TUR": "TR", "UKR": "UA", "USA": "US", "UZB": "UZ",
    "VNM": "VN", "YUG": "YU", "ZAF": "ZA",
}  # fmt: skip
"""Codes of ISO 3166 of three letters, also withdrawn ones, which records have in 102 → the codes of two letters."""

FREQUENCY = {
    "a": "Daily", "b": "Semiweekly", "c": "Weekly", "d": "Biweekly", "e": "Semimonthly", "f": "Monthly",
    "g": "Bimonthly", "h": "Quarterly", "i": "Three times a year", "j": "Semiannual", "k": "Annual", "l": "Biennial",
    "m": "Triennial", "n": "Three times a week", "o": "Three times a month", "p": "Continuously updated",
    "u": "Unknown", "y": "Completely irregular",
}  # fmt: skip
"""110$a/1, in the words of marcfrequency."""

ISBD_CONTENT = {
    "a": "dataset", "b": "image", "c": "movement", "d": "music", "e": "object", "f": "program", "g": "sounds",
    "h": "spoken word", "i": "text", "m": "multiple content forms", "z": "other content form",
}  # fmt: skip
"""181$a/0: the content forms of ISBD area 0."""

ISBD_QUALIFICATION = (
    {"a": "notated", "b": "performed", "c": "cartographic"},
    {"a": "moving", "b": "still"},
    {"2": "2-dimensional", "3": "3-dimensional"},
    *[{"a": "aural", "b": "gustatory", "c": "olfactory", "d": "tactile", "e": "visual"}] * 3,
)
"""181$b, position by position: the content qualifications of ISBD area 0."""

ISBD_MEDIA = {
    "a": "audio", "b": "electronic", "c": "microform", "d": "microscopic", "e": "projected", "f": "stereographic",
    "g": "video", "m": "multiple media", "n": "unmediated", "z": "other media",
}  # fmt: skip
"""182$a/0: the media types of ISBD area 0."""

RELATOR = {
    "005": "act", "010": "adp", "018": "anm", "020": "ann", "030": "arr", "040": "art", "050": "asg", "060": "asn",
    "062": "att", "065": "auc", "070": "aut", "072": "aqt", "075": "aft", "080": "aui", "090": "aud", "100": "ant",
    "110": "bnd", "120": "bdd", "130": "bkd", "140": "bjd", "150": "bpd", "160": "bsl", "170": "cll", "180": "ctg",
    "190": "cns", "195": "cnd", "200": "chr", "205": "ctb", "207": "cmm", "210": "cmm", "212": "cwt", "220": "com",
    "230": "cmp", "240": "cmt", "245": "ccp", "250": "cnd", "255": "csl", "260": "cph", "270": "crr", "273": "cur",
    "275": "dnc", "280": "dte", "290": "dto", "295": "dgg", "300": "drt", "305": "dis", "310": "dst", "320": "dnr",
    "330": "att", "340": "edt", "350": "egr", "360": "etr", "365": "exp", "370": "flm", "380": "frg", "390": "fmo",
    "395": "fnd", "400": "fnd", "410": "clr", "420": "hnr", "430": "ilu", "440": "ill", "450": "ins", "460": "ive",
    "470": "ivr", "480": "lbt", "490": "lse", "500": "lso", "510": "ltg", "520": "lyr", "530": "mte", "540": "mon",
    "545": "mus", "550": "nrt", "555": "opn", "557": "orm", "560": "cre", "570": "oth", "580": "ppm", "582": "pta",
    "584": "inv", "587": "pth", "590": "prf", "595": "res", "600": "pht", "605": "pre", "610": "prt", "620": "pop",
    "630": "pro", "633": "prd", "635": "prg", "637": "pdr", "640": "pfr", "650": "pbl", "651": "pbd", "660": "rcp",
    "670": "rce", "673": "rth", "675": "rev", "677": "res", "680": "rbr", "690": "aus", "695": "sad", "700": "scr",
    "705": "scl", "710": "sec", "720": "sgn", "721": "sng", "723": "spn", "725": "stn", "727": "ths", "730": "trl",
    "740": "tyd", "750": "tyg", "755": "voc", "760": "wde", "770": "wam",
}  # fmt: skip
"""Relator codes of UNIMARC (appendix C) and the MARC relator that means the same."""

UNDETERMINED_RELATOR = "000"
"""The code of UNIMARC for a role that is not known."""

RELATOR_WORD = {
    "авт": "aut", "автор": "aut", "авт-сост": "com", "сост": "com", "составитель": "com", "ред": "edt",
    "редактор": "edt", "под ред": "edt", "отв ред": "edt", "науч ред": "edt", "гл ред": "edt", "ред-сост": "edt",
    "пер": "trl", "переводчик": "trl", "худож": "ill", "художник": "ill", "ил": "ill", "авт предисл": "aui",
    "предисл": "aui", "авт вступ ст": "aui", "вступ ст": "aui", "послесл": "aft", "авт послесл": "aft",
    "коммент": "cwt", "авт коммент": "cwt", "примеч": "cwt", "рец": "rev", "рецензент": "rev", "муз": "cmp",
    "композитор": "cmp", "фот": "pht", "фотогр": "pht", "дар": "dnr", "изд": "pbl", "издатель": "pbl", "реж": "drt",
    "исполн": "prf", "науч рук": "ths", "оппонент": "opn",
}  # fmt: skip
"""Russian words in ``$4`` in place of a code, folded and without full stops."""

LINKS = {
    "412": ("host", "excerptFrom"), "413": ("constituent", "excerpt"),
    "421": ("constituent", "supplement"), "422": ("host", "supplementTo"), "423": ("constituent", "issuedWith"),
    "424": ("succeeding", "updatedBy"), "425": ("preceding", "updates"),
    "430": ("preceding", None), "431": ("preceding", "continuesInPart"), "432": ("preceding", "supersedes"),
    "433": ("preceding", "supersedesInPart"), "434": ("preceding", "absorbs"),
    "435": ("preceding", "absorbsInPart"), "436": ("preceding", "mergerOf"), "437": ("preceding", "separatedFrom"),
    "440": ("succeeding", None), "441": ("succeeding", "continuedInPartBy"),
    "442": ("succeeding", "supersededBy"), "443": ("succeeding", "supersededInPartBy"),
    "444": ("succeeding", "absorbedBy"), "445": ("succeeding", "absorbedInPartBy"),
    "446": ("succeeding", "splitInto"), "447": ("succeeding", "mergedWith"), "448": ("succeeding", "changedBackTo"),
    "451": ("otherVersion", "otherEdition"), "452": ("otherFormat", "otherEdition"),
    "453": ("otherVersion", "translatedAs"), "454": ("otherVersion", "translationOf"),
    "455": ("original", "reproductionOf"), "456": ("otherVersion", "reproducedAs"),
    "470": ("reviewOf", None), "481": (None, "boundWith"), "482": (None, "boundWith"), "488": (None, None),
    "576": (None, "work"), "577": (None, "expression"),
}  # fmt: skip
"""Link fields that mean the same whatever the level of the record: MODS ``type`` and ``otherType``."""

RELATED_TITLES = {
    "511": ("alternative", "half title"), "512": ("alternative", "cover title"),
    "513": ("alternative", "added title page title"), "514": ("alternative", "caption title"),
    "515": ("alternative", "running title"), "516": ("alternative", "spine title"), "517": ("alternative", None),
    "518": ("alternative", "modern spelling"), "520": ("alternative", "former title"), "530": ("uniform", "key title"),
    "531": ("abbreviated", None), "532": ("alternative", "expanded title"), "540": ("alternative", None),
    "541": ("translated", None), "545": ("alternative", "section title"), "560": ("alternative", "artificial title"),
}  # fmt: skip
"""Titles of block 5: MODS ``type`` and ``displayLabel``; uniform and parallel titles have separate rules."""


class CodeTable(NamedTuple):
    """Codes in a subfield, and the term of MODS for each: ``times`` codes of ``width`` characters from ``start`` on."""

    tag: str
    code: str
    start: int
    width: int
    times: int
    authority: str | None
    terms: dict[str, str]


_CONTENT = {
    "a": "bibliography", "b": "catalog", "c": "index", "d": "abstract or summary", "e": "dictionary",
    "f": "encyclopedia", "g": "directory", "i": "statistics", "k": "patent", "m": "theses", "n": "legislation",
    "p": "technical report", "r": "survey of literature", "s": "treaty", "t": "comic strip", "v": "theses",
}  # fmt: skip
_CONTENT_OF_CONTINUING = {
    "a": "bibliography", "b": "catalog", "c": "index", "d": "abstract or summary", "e": "dictionary",
    "f": "encyclopedia", "g": "directory", "i": "statistics", "k": "review", "l": "legislation",
    "m": "law report or digest", "n": "legal article", "o": "legal case and case notes", "p": "biography",
    "r": "review", "t": "comic strip",
}  # fmt: skip
_LITERATURE = {
    "a": "fiction", "b": "drama", "c": "essay", "d": "humor, satire", "e": "letter", "f": "short story",
    "g": "poetry", "h": "speech", "i": "libretto", "z": "mixed forms",
}  # fmt: skip
_BIOGRAPHY = {"a": "autobiography", "b": "biography", "c": "biography", "d": "biography"}
_OLD_CONTENT = {
    "aa": "religious literature", "ab": "catechism", "ac": "devotional literature", "ad": "sermon",
    "ae": "liturgical book", "ba": "scientific work", "bb": "theses", "ca": "etiquette and customs",
    "da": "legislation", "db": "political work", "ea": "advertisement", "fa": "reference source",
    "fb": "catalog", "fc": "bibliography", "fd": "calendar", "fe": "index", "ff": "dictionary", "fg": "encyclopedia",
    "ga": "history", "ha": "polemic", "ia": "discourse", "ja": "memorial work", "ka": "manual", "kb": "handbook",
    "kc": "textbook", "la": "register", "ma": "entertainment", "na": "adaptation",
}  # fmt: skip
_OLD_LITERATURE = {
    "aa": "poetry", "ab": "poetry", "ca": "drama", "da": "libretto", "ea": "fiction", "eb": "novel",
    "ec": "short story", "ed": "fable", "ef": "fairy tale", "eg": "allegory", "eh": "legend", "ei": "parable",
    "ej": "short story", "fa": "essay", "ga": "humor, satire", "ha": "letter", "ia": "collection", "ja": "aphorism",
    "lb": "chronicle", "lc": "memoir", "ld": "diary", "le": "biography", "lf": "life of saints", "lg": "travel",
    "lh": "erotic literature", "li": "mystical literature", "ma": "speech",
}  # fmt: skip
_LITERARY_TEXT = {
    "a": "poetry", "b": "drama", "c": "fiction", "d": "history", "e": "speech", "f": "instruction", "g": "song",
    "h": "autobiography", "i": "biography", "j": "essay", "k": "reporting", "l": "memoir", "1": "memoir",
    "m": "rehearsal", "n": "interview", "o": "advertisement", "p": "language instruction",
    "q": "conference publication", "r": "comedy", "s": "folktale", "t": "religious text",
}  # fmt: skip

GENRE_CODES = (
    CodeTable("105", "a", 4, 1, 4, "marcgt", _CONTENT),
    CodeTable("105", "a", 4, 1, 4, None,
          {"7": "academic work", "h": "project description", "j": "textbook", "l": "standard",
           "o": "numeric table", "q": "examination paper", "w": "religious text"}),
    CodeTable("105", "a", 8, 1, 1, "marcgt", {"1": "conference publication"}),
    CodeTable("105", "a", 9, 1, 1, "marcgt", {"1": "festschrift"}),
    CodeTable("105", "a", 11, 1, 1, "marcgt", _LITERATURE),
    CodeTable("105", "a", 12, 1, 1, "marcgt", _BIOGRAPHY),
    CodeTable("110", "a", 0, 1, 1, "marcgt",
          {"a": "periodical", "b": "series", "c": "newspaper", "e": "loose-leaf", "f": "database", "g": "web site"}),
    CodeTable("110", "a", 0, 1, 1, None, {"h": "blog"}),
    CodeTable("110", "a", 3, 1, 4, "marcgt", _CONTENT_OF_CONTINUING),
    CodeTable("110", "a", 3, 1, 4, None, {"h": "annual report", "j": "textbook"}),
    CodeTable("110", "a", 7, 1, 1, "marcgt", {"1": "conference publication"}),
    CodeTable("115", "a", 0, 1, 1, "marcgt", {"a": "motion picture", "b": "graphic", "c": "videorecording"}),
    CodeTable("115", "a", 9, 1, 1, None, {"a": "animation", "b": "live action", "c": "animation and live action"}),
    CodeTable("116", "a", 0, 1, 1, None,
          {"a": "collage", "b": "drawing", "c": "painting", "d": "photomechanical print", "e": "photonegative",
           "f": "photoprint", "h": "picture", "i": "print", "k": "technical drawing", "l": "chart",
           "m": "art original"}),
    CodeTable("116", "a", 16, 2, 1, None,
          {"aa": "architectural drawing", "ab": "cover", "ac": "label", "ad": "poster", "ae": "postcard",
           "af": "greeting card", "ag": "chart", "ah": "playing cards", "ai": "flash card", "aj": "ephemera",
           "ak": "illustration", "an": "calendar", "as": "place card", "au": "holy card"}),
    CodeTable("117", "a", 0, 2, 1, None,
          {"aa": "kit", "ab": "laboratory or construction kit", "ac": "specimen", "ad": "fauna", "ae": "flora",
           "af": "mineral", "ag": "microscope slide", "ah": "puzzle", "ai": "instrument", "aj": "weapon",
           "ak": "container", "al": "furniture", "am": "vehicle", "an": "textile", "ao": "clothing", "ap": "game",
           "aq": "toy", "ar": "doll", "as": "model", "at": "model", "ba": "diorama", "bb": "replica",
           "bc": "sculpture", "bd": "design object", "be": "industrial product", "bf": "mechanism", "bg": "coin",
           "bh": "medal", "bi": "jewelry", "bj": "artifact"}),
    CodeTable("124", "b", 0, 1, 1, "marcgt",
          {"a": "atlas", "c": "globe", "d": "map", "e": "model", "g": "remote-sensing image"}),
    CodeTable("124", "b", 0, 1, 1, None, {"b": "diagram", "f": "profile", "h": "section", "i": "view", "j": "plan"}),
    CodeTable("125", "b", 0, 1, 2, None, _LITERARY_TEXT),
    CodeTable("135", "a", 0, 1, 1, "marcgt",
          {"a": "numeric data", "b": "computer program", "d": "document (computer)", "e": "bibliographic database",
           "f": "font", "g": "game", "h": "sound", "i": "interactive multimedia", "j": "online system or service"}),
    CodeTable("135", "a", 0, 1, 1, None, {"c": "image", "v": "combination"}),
    CodeTable("140", "a", 9, 2, 4, None, _OLD_CONTENT),
    CodeTable("140", "a", 17, 2, 1, None, _OLD_LITERATURE),
    CodeTable("140", "a", 19, 1, 1, "marcgt", _BIOGRAPHY),
)  # fmt: skip
"""CodeTable fields that name a genre."""

FORM_CODES = (
    CodeTable("106", "a", 0, 1, 1, "marcform",
          {"d": "large print", "f": "braille", "g": "microform", "r": "print", "s": "electronic", "t": "microform"}),
    CodeTable("106", "a", 0, 1, 1, None,
          {"e": "newspaper format", "h": "manuscript", "i": "multiple media", "j": "miniature print"}),
    CodeTable("115", "a", 8, 1, 1, None,
          {"a": "film reel", "b": "film cartridge", "c": "film cassette", "d": "other film type",
           "g": "filmstrip cartridge", "h": "filmslip", "i": "other filmstrip type", "j": "filmstrip roll",
           "k": "slide", "l": "transparency"}),
    CodeTable("115", "a", 15, 1, 1, None,
          {"a": "videocassette", "b": "videodisc", "c": "videocassette", "d": "videoreel",
           "e": "electronic video recording"}),
    CodeTable("125", "a", 0, 1, 1, None,
          {"a": "full score", "b": "miniature score", "c": "vocal score", "d": "chorus score",
           "e": "piano-conductor score", "f": "graphic score", "g": "close score", "h": "tablature",
           "i": "choirbook", "j": "condensed score", "k": "pseudo-score", "l": "solo part",
           "m": "multiple score formats", "n": "score for one group", "o": "condensed score with text",
           "p": "table book"}),
    CodeTable("125", "a", 1, 1, 1, None, {"a": "parts", "b": "instrumental parts", "c": "vocal parts"}),
    CodeTable("126", "a", 0, 1, 1, None,
          {"a": "sound disc", "b": "sound tape reel", "c": "sound cassette", "d": "sound cartridge",
           "e": "wire recording", "f": "sound cylinder", "g": "roll", "h": "sound track film"}),
    CodeTable("130", "a", 0, 1, 1, "marcsmd",
          {"a": "aperture card", "b": "microfilm cartridge", "c": "microfilm cassette", "d": "microfilm reel",
           "e": "microfiche", "f": "microfiche cassette", "g": "microopaque"}),
    CodeTable("130", "a", 0, 1, 1, None, {"h": "microfilm jacket"}),
    CodeTable("135", "a", 1, 1, 1, None,
          {"a": "tape cartridge", "b": "chip cartridge", "c": "computer optical disc cartridge",
           "f": "magnetic tape cassette", "h": "magnetic tape reel", "j": "magnetic disc", "m": "magneto-optical disc",
           "o": "optical disc", "r": "remote"}),
)  # fmt: skip
"""CodeTable fields that name a physical form."""

_COLOR = {"a": "one color", "b": "black and white", "c": "multicolored", "d": "hand colored", "g": "gray scale",
          "m": "mixed color", "v": "mixed color"}  # fmt: skip
_PAPER = {"a": "paper", "b": "handmade paper", "c": "rice paper", "d": "wood pulp paper", "e": "parchment"}
_SHEETS = {
    "a": "illustrations", "g": "frontispiece", "h": "portraits", "i": "views", "j": "maps", "k": "nautical charts",
    "l": "plans", "m": "music", "n": "coats of arms", "o": "genealogical tables",
}  # fmt: skip

DETAIL_CODES = (
    CodeTable("105", "a", 0, 1, 4, None,
          {"a": "illustrations", "b": "maps", "c": "portraits", "d": "nautical charts", "e": "plans", "f": "plates",
           "g": "music", "h": "facsimiles", "i": "coats of arms", "j": "genealogical tables", "k": "forms",
           "l": "samples", "m": "sound recordings", "n": "transparencies", "o": "illuminations"}),
    CodeTable("105", "a", 10, 1, 1, None, {"1": "index"}),
    CodeTable("115", "a", 4, 1, 1, None, {"a": "black and white", "b": "color", "c": "black and white and color"}),
    CodeTable("115", "a", 5, 1, 1, None, {"a": "sound", "b": "separate sound track", "y": "silent"}),
    CodeTable("115", "a", 10, 1, 1, None,
          {"a": "standard sound aperture", "b": "nonanamorphic wide screen", "c": "3D", "d": "anamorphic wide screen",
           "e": "standard silent aperture", "f": "other wide screen"}),
    CodeTable("115", "a", 16, 1, 1, None,
          {"a": "Beta", "b": "VHS", "c": "U-matic", "d": "EIAJ", "e": "Type C", "f": "Quadruplex", "g": "laser optical",
           "h": "CED", "i": "V2000", "j": "Video 8", "k": "DVD-Video"}),
    CodeTable("115", "a", 19, 1, 1, None,
          {"a": "405 lines", "b": "525 lines", "c": "625 lines PAL", "d": "625 lines SECAM", "e": "1125 lines"}),
    CodeTable("116", "a", 1, 1, 2, None,
          {"a": "canvas", "b": "bristol board", "c": "cardboard", "d": "glass", "e": "synthetic material", "f": "skin",
           "g": "textile", "h": "metal", "i": "paper", "j": "plaster", "k": "particle board", "l": "porcelain",
           "m": "stone", "n": "wood", "o": "China paper", "v": "mixed material"}),
    CodeTable("116", "a", 3, 1, 1, None, _COLOR),
    CodeTable("116", "a", 4, 2, 3, None,
          {"aa": "pencil", "ab": "graphite", "ac": "colored pencil", "ad": "ink", "ae": "India ink wash",
           "af": "charcoal", "ag": "chalk", "ah": "black chalk", "ai": "sanguine", "aj": "watercolor", "ak": "tempera",
           "al": "gouache", "am": "pastel", "an": "oil", "ba": "felt-tip pen", "bb": "stain", "bc": "crayon",
           "bd": "sepia", "be": "writing ink", "bf": "distemper", "bg": "gilding", "bh": "encaustic", "bi": "acrylic",
           "bj": "collage", "bk": "silverpoint", "bl": "airbrush", "vv": "mixed technique"}),
    CodeTable("116", "a", 10, 2, 3, None,
          {"ba": "woodcut", "bb": "chiaroscuro woodcut", "bc": "white-line woodcut", "bd": "camaieu woodcut",
           "be": "heliogravure", "bf": "chromolithograph", "bg": "linocut", "bh": "etching", "bi": "lithograph",
           "bj": "photolithograph", "bk": "zincograph", "bl": "algraphy", "bm": "aquatint", "bn": "sugar-lift",
           "bo": "wood engraving", "bp": "tint lithograph", "ca": "soft-ground etching", "cb": "engraving",
           "cc": "crayon manner", "cd": "line engraving", "ce": "drypoint", "cf": "mezzotint", "cg": "monotype",
           "ch": "screen print", "ci": "steel engraving", "cj": "computer graphics", "ck": "photocopy",
           "cl": "lavis", "cm": "stipple", "cn": "chine collé", "vv": "mixed technique"}),
    CodeTable("117", "a", 2, 2, 3, None,
          {"aa": "terracotta", "ab": "wax", "ac": "clay", "ad": "majolica", "ae": "porcelain", "af": "ceramic",
           "ag": "plaster", "ah": "glass", "ba": "wood", "ca": "ivory", "da": "stone", "db": "precious stone",
           "dc": "marble", "dd": "basalt", "de": "sempertite", "df": "porphyry", "ea": "paper", "eb": "cardboard",
           "fa": "precious metal", "fb": "metal", "fc": "bronze", "fd": "copper", "ga": "synthetic material",
           "ha": "textile", "ia": "plastic", "vv": "mixed material"}),
    CodeTable("117", "a", 8, 1, 1, None, _COLOR),
    CodeTable("120", "a", 0, 1, 1, None, {"a": "one color", "b": "multicolored"}),
    CodeTable("120", "a", 1, 1, 1, None, {"a": "index", "b": "accompanying index", "c": "index"}),
    CodeTable("120", "a", 2, 1, 1, None, {"a": "narrative text", "b": "accompanying narrative text"}),
    CodeTable("120", "a", 3, 1, 4, None,
          {"a": "contours", "b": "shading", "c": "gradient tints", "d": "hachures", "e": "soundings",
           "f": "form lines", "g": "spot heights", "h": "relief in color", "i": "pictorial relief", "j": "land forms",
           "k": "isobaths"}),
    CodeTable("121", "a", 0, 1, 1, None, {"a": "two-dimensional", "b": "three-dimensional"}),
    CodeTable("121", "a", 3, 2, 1, None,
          {"aa": "paper", "ab": "wood", "ac": "stone", "ad": "metal", "ae": "synthetic material", "af": "skin",
           "ag": "textile", "aj": "tracing paper", "ak": "cardboard", "ap": "plaster"}),
    CodeTable("121", "a", 5, 1, 1, None,
          {"a": "manuscript", "b": "printed", "c": "photocopy", "d": "microphotography"}),
    CodeTable("121", "a", 8, 1, 1, None,
          {"a": "single sheet", "b": "in parts", "c": "atlas", "d": "separate supplement", "e": "bound supplement"}),
    CodeTable("126", "a", 1, 1, 1, None,
          {"a": "16 2/3 rpm", "b": "33 1/3 rpm", "c": "45 rpm", "d": "78 rpm", "e": "8 rpm", "g": "1.4 m/s",
           "h": "120 rpm", "i": "160 rpm", "k": "4.8 cm/s", "l": "2.4 cm/s", "m": "9.5 cm/s", "n": "19 cm/s",
           "o": "38 cm/s", "p": "76 cm/s", "q": "2 cm/s", "r": "1 cm/s"}),
    CodeTable("126", "a", 2, 1, 1, None, {"a": "monophonic", "b": "stereophonic", "c": "quadraphonic"}),
    CodeTable("126", "a", 4, 1, 1, None,
          {"a": "8 cm", "b": "13 cm", "c": "18 cm", "d": "25 cm", "e": "30 cm", "f": "41 cm", "g": "36 cm",
           "h": "12 cm"}),
    CodeTable("126", "a", 13, 1, 1, None,
              {"a": "acoustic recording", "b": "electric recording", "c": "digital recording"}),
    CodeTable("130", "a", 1, 1, 1, None, {"a": "positive", "b": "negative", "d": "mixed polarity"}),
    CodeTable("130", "a", 2, 1, 1, None,
          {"a": "8 mm", "d": "16 mm", "f": "35 mm", "g": "70 mm", "h": "105 mm", "l": "76 x 127 mm",
           "m": "105 x 148 mm", "o": "152 x 229 mm", "p": "82 x 187 mm"}),
    CodeTable("130", "a", 9, 1, 1, None, {"a": "master", "b": "printing master", "c": "service copy"}),
    CodeTable("135", "a", 2, 1, 1, None, _COLOR),
    CodeTable("135", "a", 4, 1, 1, None, {"a": "sound"}),
    CodeTable("140", "a", 0, 1, 4, None,
          {**_SHEETS, "b": "ornaments", "c": "initials", "d": "miniatures", "e": "rubrics", "f": "vignettes"}),
    CodeTable("140", "a", 4, 1, 4, None, {code: f"{term} on plates" for code, term in _SHEETS.items()}),
    CodeTable("140", "a", 8, 1, 1, None,
          {"a": "woodcut", "b": "lithograph", "c": "etching", "d": "aquatint", "e": "engraving",
           "v": "mixed technique"}),
    CodeTable("140", "a", 20, 1, 1, None, _PAPER),
    CodeTable("140", "a", 21, 1, 1, None, {code: f"plates of {term}" for code, term in _PAPER.items()}),
    CodeTable("140", "a", 22, 1, 1, None, {"1": "watermarks"}),
    CodeTable("140", "a", 23, 1, 1, None, {"1": "printer's device"}),
    CodeTable("140", "a", 24, 1, 1, None, {"1": "publisher's device"}),
    CodeTable("140", "a", 25, 1, 1, None, {"1": "ornamental device"}),
)  # fmt: skip
"""CodeTable fields that describe the form more closely: illustrations, material, technique, color, sound, size."""

BINDING_CODES = (
    CodeTable("141", "a", 0, 1, 3, None,
          {"a": "parchment", "b": "leather", "c": "wood", "d": "cloth", "e": "synthetic material", "f": "cardboard",
           "g": "paper", "h": "unbound"}),
    CodeTable("141", "a", 3, 1, 1, None,
          {"a": "original binding", "b": "rebound", "c": "modern binding", "d": "facsimile restoration",
           "e": "imitation restoration", "f": "bound with other works", "j": "facsimile binding",
           "k": "restored original binding", "l": "restored binding"}),
    CodeTable("141", "a", 4, 1, 1, None, {"1": "composite volume"}),
    CodeTable("141", "a", 5, 1, 1, None,
          {"a": "binding in excellent condition", "b": "binding in good condition", "c": "binding in fair condition",
           "d": "binding in poor condition", "e": "binding defective", "f": "binding missing",
           "g": "binding restored"}),
    CodeTable("141", "a", 6, 1, 2, None,
          {"a": "excellent condition", "b": "good condition", "c": "fair condition", "d": "poor condition",
           "e": "incomplete", "g": "restored"}),
    CodeTable("141", "c", 0, 1, 1, None,
          {"a": "binding before the 10th century", "b": "binding of the 10th to 14th century",
           "c": "binding of the 15th century", "d": "binding of the 16th century", "e": "binding of the 17th century",
           "f": "binding of the 18th century", "g": "binding of the 19th century", "h": "binding of the 20th century",
           "i": "binding of the 21st century"}),
)  # fmt: skip
"""Field 141: binding and condition of a copy of an old book."""

PROJECTION = {
    "aa": "Aitoff", "ab": "gnomonic", "ac": "Lambert's azimuthal equal area", "ad": "orthographic",
    "ae": "azimuthal equidistant", "af": "stereographic", "ag": "azimuthal equal area", "au": "azimuthal",
    "az": "azimuthal", "ba": "Gall", "bb": "Goode's homolographic", "bc": "Lambert's cylindrical equal area",
    "bd": "Mercator", "be": "Miller", "bf": "Mollweide", "bg": "sinusoidal", "bh": "transverse Mercator",
    "bi": "Gauss-Krüger", "bj": "equirectangular", "bk": "Cassini", "bl": "Laborde", "bm": "oblique Mercator",
    "bu": "cylindrical", "bz": "cylindrical", "ca": "Albers equal area", "cb": "Bonne",
    "cc": "Lambert's conformal conic", "cd": "simple conic", "ce": "bipolar oblique conformal conic",
    "cf": "Delisle", "cg": "International Map of the World", "ch": "Tissot's conformal conic",
    "cp": "polyconic", "cu": "conic",
    "cz": "conic", "da": "armadillo", "db": "butterfly", "dc": "Eckert", "dd": "Goode's homolosine",
    "de": "Miller's bipolar oblique conformal conic", "df": "Van der Grinten", "dg": "Dymaxion", "dh": "cordiform",
    "di": "polyhedral",
}  # fmt: skip
"""120$a/7-8: the projection of a map."""
