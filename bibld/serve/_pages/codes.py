"""Codes, elements, classes and terms of other vocabularies in words, for pages only."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from bibld.model.relators import TERM_OF_RELATOR
from bibld.serve._language import Message, PageLanguage, message

ROLE_LABELS = {
    "adp": message("adapter"),
    "aft": message("author of afterword"),
    "ann": message("annotator"),
    "arr": message("arranger"),
    "art": message("artist"),
    "asn": message("associated name"),
    "aui": message("author of introduction"),
    "aus": message("screenwriter"),
    "aut": message("author"),
    "bkd": message("book designer"),
    "cmm": message("commentator"),
    "cmp": message("composer"),
    "cnd": message("conductor"),
    "com": message("compiler"),
    "cov": message("cover designer"),
    "cre": message("creator"),
    "csl": message("consultant"),
    "ctb": message("contributor"),
    "ctg": message("cartographer"),
    "dgg": message("degree granting institution"),
    "dgs": message("degree supervisor"),
    "dis": message("author of the thesis"),
    "drt": message("director"),
    "dte": message("dedicatee"),
    "edc": message("editor of the compilation"),
    "edt": message("editor"),
    "egr": message("engraver"),
    "fmo": message("former owner"),
    "ill": message("illustrator"),
    "isb": message("issuing body"),
    "lbt": message("librettist"),
    "lyr": message("lyricist"),
    "nrt": message("narrator"),
    "opn": message("opponent"),
    "pbd": message("publishing director"),
    "pbl": message("publisher"),
    "pht": message("photographer"),
    "prf": message("performer"),
    "pro": message("producer"),
    "prt": message("printer"),
    "rev": message("reviewer"),
    "scl": message("sculptor"),
    "sng": message("singer"),
    "spn": message("sponsor"),
    "ths": message("thesis advisor"),
    "trl": message("translator"),
    "wam": message("writer of accompanying material"),
}
"""MARC relator codes that are frequent in library catalogues."""

RELATION_LABELS = {
    "series": message("Series"),
    "host": message("In"),
    "constituent": message("Contains"),
    "preceding": message("Continues"),
    "succeeding": message("Continued by"),
    "original": message("Original"),
    "otherVersion": message("Other version"),
    "otherFormat": message("Other format"),
    "isReferencedBy": message("Referenced by"),
    "references": message("References"),
    "reviewOf": message("Review of"),
}
"""The types of a related item of MODS."""

TYPE_LABELS = {
    "text": message("text"),
    "cartographic": message("map"),
    "notated music": message("notated music"),
    "sound recording": message("sound recording"),
    "sound recording-musical": message("music recording"),
    "sound recording-nonmusical": message("sound recording"),
    "still image": message("picture"),
    "moving image": message("film or video"),
    "three dimensional object": message("object"),
    "software, multimedia": message("software, multimedia"),
    "mixed material": message("mixed material"),
}
"""The types of resource of MODS."""

KIND_LABELS = {
    "book": message("Book"),
    "article": message("Article"),
    "chapter": message("Chapter"),
    "serial": message("Serial"),
    "thesis": message("Thesis"),
    "map": message("Map"),
    "score": message("Notated music"),
    "sound": message("Sound recording"),
    "film": message("Film or video"),
    "image": message("Picture"),
    "document": message("Publication"),
}
"""The kinds of a reference (``bibld.serve._citations``)."""

GENRE_LABELS = {
    "fiction": message("fiction"),
    "novel": message("novel"),
    "short story": message("short stories"),
    "poetry": message("poetry"),
    "drama": message("drama"),
    "essay": message("essays"),
    "humor, satire": message("humour, satire"),
    "biography": message("biography"),
    "autobiography": message("autobiography"),
    "letter": message("letters"),
    "encyclopedia": message("encyclopaedia"),
    "dictionary": message("dictionary"),
    "atlas": message("atlas"),
    "map": message("map"),
    "bibliography": message("bibliography"),
    "catalog": message("catalogue"),
    "handbook": message("handbook"),
    "instruction": message("textbook"),
    "conference publication": message("conference proceedings"),
    "thesis": message("thesis"),
    "theses": message("thesis"),
    "periodical": message("periodical"),
    "newspaper": message("newspaper"),
    "series": message("series of books"),
    "standard or specification": message("standard"),
    "patent": message("patent"),
    "festschrift": message("festschrift"),
    "review": message("review"),
    "speech": message("speeches"),
    "legislation": message("legislation"),
    "statistics": message("statistics"),
    "technical report": message("technical report"),
    "sound": message("sound"),
}
"""The genres of the list marcgt that are frequent."""

FORM_LABELS = {
    "print": message("print"),
    "electronic": message("electronic"),
    "manuscript": message("manuscript"),
    "braille": message("braille"),
    "microfiche": message("microfiche"),
    "microfilm": message("microfilm"),
    "volume": message("volume"),
    "unmediated": message("read without a device"),
    "online resource": message("online resource"),
    "audio disc": message("audio disc"),
}
"""Forms of a publication as MODS names them."""

NOTE_LABELS = {
    "bibliography": message("Bibliography"),
    "print run": message("Print run"),
    "thesis": message("Thesis"),
    "language": message("Note on the language"),
    "performers": message("Performers"),
    "venue": message("Time and place of the event"),
    "system details": message("System requirements"),
    "numbering": message("Numbering"),
    "reproduction": message("Reproduction"),
    "original version": message("Original version"),
    "additional physical form": message("Other forms"),
    "restriction": message("Restriction"),
    "statement of responsibility": message("Responsibility"),
    "source": message("Source of the description"),
    "content": message("Content"),
    "price": message("Price"),
    "funding": message("Funding"),
    "preferred citation": message("Preferred citation"),
    "citation/reference": message("Cited in"),
    "exhibitions": message("Exhibitions"),
    "ownership": message("Ownership"),
    "version identification": message("Version"),
    "date": message("Note on the date"),
    "creation/production credits": message("Credits"),
    "biographical/historical": message("Biography or history"),
}
"""The types of a note."""

AUDIENCE_LABELS = {
    "adolescent": message("adolescents"),
    "adult": message("adults"),
    "general": message("general readers"),
    "juvenile": message("children"),
    "preschool": message("small children"),
    "specialized": message("specialists"),
}
"""The audiences of the list marctarget."""

SCHEME_LABELS = {
    "rubbk": message("BBK"),
    "bbk": message("BBK"),
    "udc": message("UDC"),
    "ddc": message("Dewey"),
    "lcc": message("Library of Congress"),
    "rugasnti": message("GRNTI"),
    "lcsh": message("LCSH"),
    "keywords": message("keyword"),
    "viaf": message("VIAF"),
    "isni": message("ISNI"),
    "marctarget": message("audience"),
    "marcgt": message("genre"),
}
"""Classifications and lists of headings."""

LANGUAGE_PART_LABELS = {
    "translation": message("language of the original"),
    "intermediate translation": message("language of the translation that was translated"),
    "sung or spoken text": message("sung or spoken text"),
    "summary": message("summary"),
    "libretto": message("libretto"),
    "table of contents": message("table of contents"),
    "accompanying material": message("accompanying material"),
    "subtitles": message("subtitles"),
}
"""Parts of a publication in another language: objectPart of MODS, in the words of MARC 21 field 041."""

POINT_LABELS = {
    "approximate": message("approximate"),
    "inferred": message("inferred"),
    "questionable": message("questionable"),
}
"""The qualifiers of a date."""

EVENT_LABELS = {
    "production": message("production"),
    "distribution": message("distribution"),
    "manufacture": message("manufacture"),
    "producer": message("production"),
    "distributor": message("distribution"),
    "manufacturer": message("manufacture"),
}
"""The events of a statement of publication that are no publication."""

IDENTIFIER_LABELS = {
    "oclc": message("OCLC number"),
    "legal deposit": message("Legal deposit number"),
    "legal deposit number": message("Legal deposit number"),
    "registration sheet": message("Registration sheet"),
    "stock number": message("Stock number"),
    "issue number": message("Issue number"),
    "music plate": message("Plate number"),
    "music publisher": message("Publisher's number"),
    "local": message("Local number"),
    "identifier": message("Identifier"),
    "nbn": message("National bibliography number"),
}
"""The types of an identifier whose name is no acronym."""


def role_words(code: str, language: PageLanguage) -> str:
    """Return the word for a relator code; the English one where a language has none, empty for an unknown code."""
    label: Message | str = ROLE_LABELS.get(code) or TERM_OF_RELATOR.get(code, "")
    return language.text(label) if isinstance(label, Message) else label


def words_of(labels: dict[str, Message], text: str, language: PageLanguage) -> str:
    """Return the words for a code of a list, else the text as it is."""
    label = labels.get(text.strip().lower())
    return text if label is None else language.text(label)


ELEMENTS = {
    "title_info": message("Title"),
    "name": message("Names"),
    "type_of_resource": message("Type of resource"),
    "genre": message("Genre"),
    "origin_info": message("Publication"),
    "language": message("Language"),
    "physical_description": message("Physical description"),
    "abstract": message("Abstract"),
    "table_of_contents": message("Table of contents"),
    "target_audience": message("Audience"),
    "access_condition": message("Access"),
    "note": message("Notes"),
    "subject": message("Subjects"),
    "classification": message("Class marks"),
    "location": message("Holdings"),
    "related_item": message("Related publications"),
    "identifier": message("Identifiers"),
    "part": message("Part"),
    "extension": message("Extension"),
    "record_info": message("About the record"),
}
"""Element of MODS → its name."""

TYPES = {
    "text": message("Text"),
    "cartographic": message("Maps"),
    "notated music": message("Notated music"),
    "sound recording": message("Sound recordings"),
    "sound recording-musical": message("Music recordings"),
    "sound recording-nonmusical": message("Spoken recordings"),
    "still image": message("Images"),
    "moving image": message("Films and videos"),
    "three dimensional object": message("Objects"),
    "software, multimedia": message("Software and multimedia"),
    "mixed material": message("Mixed material"),
}
"""Type of resource in MODS → its name."""


SCHEMES = {"udc": message("UDC"), "bbk": message("BBK"), "rubbk": message("BBK"), "ddc": "DDC", "lcc": "LCC"}
"""``classification/@authority`` → how the classification is called."""

_UDC = {
    "0": message("Science and knowledge. Computing. Libraries"),
    "1": message("Philosophy. Psychology"),
    "2": message("Religion"),
    "3": message("Social sciences"),
    "5": message("Mathematics. Natural sciences"),
    "6": message("Applied sciences. Medicine. Technology"),
    "7": message("Arts. Recreation. Sport"),
    "8": message("Language. Literature"),
    "9": message("Geography. Biography. History"),
}
_BBK = {
    "А": message("Marxism-Leninism"),
    "Б": message("Natural sciences as a whole"),
    "В": message("Physics and mathematics"),
    "Г": message("Chemistry"),
    "Д": message("Earth sciences"),
    "Е": message("Biology"),
    "Ж": message("Technology as a whole"),
    "З": message("Energy. Electronics. Computing"),
    "И": message("Mining"),
    "К": message("Metals. Engineering"),
    "Л": message("Chemical technology. Food"),
    "М": message("Wood. Light industry. Printing"),
    "Н": message("Building"),
    "О": message("Transport"),
    "П": message("Agriculture"),
    "Р": message("Health. Medicine"),
    "С": message("Social sciences as a whole"),
    "Т": message("History"),
    "У": message("Economics"),
    "Ф": message("Politics"),
    "Х": message("Law"),
    "Ц": message("Military science"),
    "Ч": message("Culture. Education. Libraries"),
    "Ш": message("Language. Literature"),
    "Щ": message("Arts"),
    "Э": message("Religion"),
    "Ю": message("Philosophy. Psychology"),
    "Я": message("Reference works"),
    "1": message("Knowledge as a whole"),
    "2": message("Natural sciences"),
    "3": message("Technology"),
    "4": message("Agriculture"),
    "5": message("Health. Medicine"),
    "6": message("Social sciences. Humanities"),
    "7": message("Culture. Education"),
    "8": message("Language. Literature. Arts. Religion. Philosophy"),
    "9": message("Reference works"),
}
_AMBIGUOUS = ("Р1", "Р2", "Р4")
"""Beginnings of marks that are fiction at the Russian State Library and medicine in other editions of the BBK."""


def class_name(scheme: str, mark: str) -> str:
    """Return what a class is about, from the beginning of its mark; empty if the mark does not decide it."""
    table = {"udc": _UDC, "ddc": {}, "lcc": {}}.get(scheme, _BBK)
    if table is _BBK and mark.startswith(_AMBIGUOUS):
        return ""
    return table.get(mark[:1], "")


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
_RDA_TYPES = {
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
