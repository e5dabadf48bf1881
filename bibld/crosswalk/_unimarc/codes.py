"""Code tables of UNIMARC and RUSMARC: what each code is in the words that MODS uses.

The RUSMARC tables are those of the format's edition of 2015; where the manual prints a Cyrillic letter that looks like
a Latin one (``а``, ``с``, ``е``, ``о``, ``р``, ``х``), files contain both, and :func:`latin` makes them one.
"""

from __future__ import annotations

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
