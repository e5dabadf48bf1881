"""Codes in words, for pages only. Languages are named by ``Language.name_of_language``."""

from __future__ import annotations

from bibld.model.relators import TERM_OF_RELATOR
from bibld.serve._language import Language, Message, message

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


def role_words(code: str, language: Language) -> str:
    """Return the word for a relator code; the English one where a language has none, empty for an unknown code."""
    label: Message | str = ROLE_LABELS.get(code) or TERM_OF_RELATOR.get(code, "")
    return language.text(label) if isinstance(label, Message) else label


def words_of(labels: dict[str, Message], text: str, language: Language) -> str:
    """Return the words for a code of a list, else the text as it is."""
    label = labels.get(text.strip().lower())
    return text if label is None else language.text(label)
