"""Terms of other vocabularies and authority files as words: what an IRI elsewhere is called on a page."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from bibld.serve._language import Language, Message, message
from bibld.serve._pages import codes

AUTHORITY_FILES = {
    "http://viaf.org/viaf/": "VIAF",
    "https://viaf.org/viaf/": "VIAF",
    "https://d-nb.info/gnd/": "GND",
    "http://d-nb.info/gnd/": "GND",
    "https://isni.org/isni/": "ISNI",
    "http://isni.org/isni/": "ISNI",
    "http://www.isni.org/": "ISNI",
    "http://www.wikidata.org/entity/": "Wikidata",
    "https://orcid.org/": "ORCID",
    "http://data.bnf.fr/": "data.bnf.fr",
    "https://data.bnf.fr/": "data.bnf.fr",
    "https://sws.geonames.org/": "GeoNames",
    "http://sws.geonames.org/": "GeoNames",
    "http://id.worldcat.org/fast/": "FAST",
    "http://id.nlm.nih.gov/mesh/": "MeSH",
    "http://id.loc.gov/authorities/names/": message("Library of Congress names"),
    "http://id.loc.gov/authorities/subjects/": message("Library of Congress subjects"),
    "http://id.loc.gov/authorities/genreForms/": message("Library of Congress genres"),
    "http://vocab.getty.edu/aat/": "Getty AAT",
}
"""The beginnings of IRIs of authority files → their names."""

_LIST = re.compile(r"https?://id\.loc\.gov/vocabulary/([A-Za-z0-9-]+)/([A-Za-z0-9-]+)")
_TYPES = {
    "txt": message("text"),
    "prm": message("performed music"),
    "ntm": message("notated music"),
    "spw": message("spoken word"),
    "sti": message("still image"),
    "cri": message("cartographic image"),
    "tdi": message("moving image"),
    "snd": message("sounds"),
    "n": message("read without a device"),
    "c": message("read by a computer"),
    "s": message("audio"),
    "v": message("video"),
    "nc": message("volume"),
    "nb": message("sheet"),
    "cr": message("online resource"),
    "cd": message("computer disc"),
    "sd": message("audio disc"),
    "mono": message("single volume"),
    "mulm": message("several volumes"),
    "serl": message("serial"),
    "intg": message("integrating resource"),
}
_COUNTRIES = {
    **{"ru": "RU", "un": "UA", "bw": "BY", "kz": "KZ", "uz": "UZ", "gs": "GE", "ai": "AM", "aj": "AZ", "mv": "MD"},
    **{"li": "LT", "lv": "LV", "er": "EE", "gw": "DE", "fr": "FR", "it": "IT", "sp": "ES", "po": "PT", "sz": "CH"},
    **{"au": "AT", "be": "BE", "ne": "NL", "dk": "DK", "sw": "SE", "no": "NO", "fi": "FI", "pl": "PL", "xr": "CZ"},
    **{"xo": "SK", "hu": "HU", "rm": "RO", "bu": "BG", "gr": "GR", "tu": "TR", "is": "IL", "cc": "CN", "ja": "JP"},
    **{"ii": "IN", "bl": "BR", "ag": "AR", "mx": "MX", "ie": "IE", "enk": "GB", "stk": "GB", "uk": "GB", "xxk": "GB"},
    **{"nyu": "US", "mau": "US", "cau": "US", "dcu": "US", "ilu": "US", "pau": "US", "nju": "US", "xxu": "US"},
    **{"onc": "CA", "quc": "CA", "xxc": "CA", "rb": "RS", "ci": "HR", "xv": "SI", "xn": "MK", "kg": "KG", "ta": "TJ"},
    **{"tk": "TM", "mp": "MN", "ko": "KR", "kn": "KP", "vm": "VN", "ua": "EG", "sa": "ZA", "at": "AU", "nz": "NZ"},
}
"""Codes of MARC → ISO 3166-1, as far as they are frequent."""

_FORMER_COUNTRIES = {
    "ur": message("Soviet Union"),
    "xx": message("unknown country"),
    "vp": message("several countries"),
    "ge": message("East Germany"),
    "cs": message("Czechoslovakia"),
    "yu": message("Yugoslavia"),
}


def term_words(iri: str, language: Language) -> str:
    """Return the words for a term of a code list of id.loc.gov; empty for what is none that is known."""
    found = _LIST.fullmatch(iri)
    if found is None:
        return ""
    scheme, code = found.groups()
    words: Message | str = ""
    match scheme:
        case "relators":
            return codes.role_words(code, language)
        case "languages" | "iso639-1" | "iso639-2":
            name = language.name_of_language(code)
            return name if name != code else ""
        case "countries":
            if code in _FORMER_COUNTRIES:
                words = _FORMER_COUNTRIES[code]
            elif code in _COUNTRIES:
                return language.name_of_country(_COUNTRIES[code])
        case "contentTypes" | "mediaTypes" | "carriers" | "issuance":
            words = _TYPES.get(code, "")
    return language.text(words) if words else ""


def name_of_file(iri: str, language: Language) -> str:
    """Return the name of the authority file, or else of the site, that an IRI belongs to."""
    for beginning, name in AUTHORITY_FILES.items():
        if iri.startswith(beginning):
            return language.text(name) if isinstance(name, Message) else name
    return urlsplit(iri).hostname or iri


def number_in_file(iri: str) -> str:
    """Return the last part of an IRI: the number in an authority file."""
    return iri.rstrip("/#").rpartition("/")[2].rpartition("#")[2]
