"""Codes, elements, classes and terms of other vocabularies in words, for pages only."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from bibld.model.relators import TERM_OF_RELATOR
from bibld.serve._language import Message, PageLanguage, message, read_words
from bibld.serve.ontology import term_labels
from bibld.text.class_divisions import SCHEMES as CLASSIFICATIONS
from bibld.text.class_divisions import caption
from bibld.text.classes import main_class
from bibld.text.libraries import find_library

_WORDS = read_words()

ROLE_LABELS = _WORDS["role"]
RELATION_LABELS = _WORDS["relation"]
TYPE_LABELS = _WORDS["type"]
TYPE_NAMES = _WORDS["search_type"]
GENRE_LABELS = _WORDS["genre"]
FORM_LABELS = _WORDS["form"]
NOTE_LABELS = _WORDS["note"]
AUDIENCE_LABELS = _WORDS["audience"]
SCHEME_LABELS = _WORDS["scheme"]
LANGUAGE_PART_LABELS = _WORDS["language_part"]
POINT_LABELS = _WORDS["date_qualifier"]
EVENT_LABELS = _WORDS["event"]
IDENTIFIER_LABELS = _WORDS["identifier"]
RULE_LABELS = _WORDS["rules"]
FORMAT_LABELS = _WORDS["format"]


def role_words(code: str, language: PageLanguage) -> str:
    """Return the word for a relator code; the English one where a language has none, empty for an unknown code."""
    label: Message | str = ROLE_LABELS.get(code) or TERM_OF_RELATOR.get(code, "")
    return language.text(label) if isinstance(label, Message) else label


def words_of(labels: dict[str, Message], text: str, language: PageLanguage) -> str:
    """Return the words for a code of a list, else the text as it is."""
    label = labels.get(text.strip().lower())
    return text if label is None else language.text(label)


ELEMENTS = _WORDS["element"]
TYPES = _WORDS["types"]

SCHEMES = {"udc": message("UDC"), "bbk": message("BBK"), "rubbk": message("BBK"), "ddc": "DDC", "lcc": "LCC"}
"""``classification/@authority`` → how the classification is called."""


_CLASSES_OF_LCC = _WORDS["class_of_lcc"]
_CLASSIFICATIONS = {scheme: name for name, schemes in CLASSIFICATIONS.items() for scheme in schemes}
_OF_TWO_EDITIONS = "Р1, Р2, Р4"


def main_class_of(scheme: str, mark: str) -> tuple[str, str]:
    """Return the classification of a scheme and the mark of the main class of a class.

    It is the mark itself where the main class is not known.

    >>> main_class_of("rubbk", "Ш5"), main_class_of("ddc", "82"), main_class_of("lcc", "PG")
    (('bbk', 'Ш'), ('ddc', '8'), ('lcc', 'P'))
    """
    classification = _CLASSIFICATIONS.get(scheme, scheme)
    main = main_class(scheme, mark) or (mark[:1] if classification in ("ddc", "lcc") else mark)
    is_of_two = classification == "bbk" and main == mark and mark[:2] in _OF_TWO_EDITIONS.split(", ")
    return classification, _OF_TWO_EDITIONS if is_of_two else main


def class_name(classification: str, main: str, language: PageLanguage) -> str:
    """Return what a main class is about; empty if it is not known."""
    if main == _OF_TWO_EDITIONS:
        return language.text("Fiction, or medicine")
    if classification == "lcc":
        return language.text(_CLASSES_OF_LCC.get(main, ""))
    return caption(classification, main, language.tag) if classification in CLASSIFICATIONS else ""


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
    "http://id.loc.gov/authorities/demographicTerms/": "LCDGT",
    "http://id.loc.gov/authorities/performanceMediums/": "LCMPT",
    "http://id.loc.gov/authorities/classification/": "LCC",
    "https://id.oclc.org/worldcat/entity/": "WorldCat",
    "https://id.oclc.org/worldcat/ddc/": "WorldCat DDC",
    "http://www.idref.fr/": "IdRef",
    "http://datos.bne.es/": "datos.bne.es",
    "http://data.bibliotheken.nl/": "data.bibliotheken.nl",
    "http://www.yso.fi/onto/yso/": "YSO",
    "http://vocab.getty.edu/aat/": "Getty AAT",
    "http://vocab.getty.edu/tgn/": "Getty TGN",
    "http://vocab.getty.edu/ulan/": "Getty ULAN",
}
"""The beginnings of IRIs of authority files → their names."""

_LIST = re.compile(r"https?://id\.loc\.gov/vocabulary/([A-Za-z0-9-]+)/([A-Za-z0-9-]+)")
_RDA_TYPES = _WORDS["rda_type"]
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

_FORMER_COUNTRIES = _WORDS["former_country"]


def term_words(iri: str, language: PageLanguage) -> str:
    """Return the words for a term of a code list of id.loc.gov; empty for what is none that is known."""
    found = _LIST.fullmatch(iri)
    if found is None:
        return ""
    scheme, code = found.groups()
    words: Message | str = ""
    match scheme:
        case "relators":
            return role_words(code, language)
        case "languages" | "iso639-1" | "iso639-2":
            name = language.name_of_language(code)
            return name if name != code else ""
        case "countries":
            if code in _FORMER_COUNTRIES:
                words = _FORMER_COUNTRIES[code]
            elif code in _COUNTRIES:
                return language.name_of_country(_COUNTRIES[code])
        case "contentTypes" | "mediaTypes" | "carriers" | "issuance":
            words = _RDA_TYPES.get(code, "")
    return language.text(words) if words else ""


def library_words(text: str, language: PageLanguage) -> str:
    """Return the name of the library with a code or name of the table of libraries; else the text as it is."""
    library = find_library(text, True) or find_library(text.rpartition(" ")[2], True)  # also behind a country: RU NLR
    names = {tag: name for name, tag in library.names} if library is not None else {}
    return language.best(names) or text


def property_words(iri: str, language: PageLanguage) -> str:
    """Return what a property is called: its label, or the last part of its IRI if the ontology does not have it."""
    words = language.best(term_labels().get(iri, {})) or number_in_file(iri)
    return words[:1].upper() + words[1:]


def name_of_file(iri: str, language: PageLanguage) -> str:
    """Return the name of the authority file, or else of the site, that an IRI belongs to."""
    for beginning, name in AUTHORITY_FILES.items():
        if iri.startswith(beginning):
            return language.text(name) if isinstance(name, Message) else name
    return urlsplit(iri).hostname or iri


def number_in_file(iri: str) -> str:
    """Return the last part of an IRI: the number in an authority file."""
    return iri.rstrip("/#").rpartition("/")[2].rpartition("#")[2]


_KINDS = {
    "ReadError": message("unreadable"),
    "DamagedFileError": message("damaged file"),
    "CrosswalkError": message("not convertible"),
}
"""The kind of an error of a record → the words for it; the message of the error follows, as the log has it."""


def reject_words(reason: str, language: PageLanguage) -> str:
    """Return a reason of a report (kind and message) with the kind in the language of the page."""
    kind, colon, text = reason.partition(": ")
    words = _KINDS.get(kind)
    return f"{language.text(words)}{colon}{text}" if words is not None else reason
