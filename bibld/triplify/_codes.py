"""Code lists, as tables: languages, scripts, relators, kinds of resources and identifiers."""

from __future__ import annotations

from bibld.model.iris import Iris
from bibld.model.rdf import iri


def loc(scheme: str, code: str) -> str:
    """Return the term for a code of a code list of the Library of Congress."""
    return iri(f"http://id.loc.gov/vocabulary/{scheme}/{code}")


_CREATORS = "aut bka chr cmp cre dis enj fmk inv lbt lsa lyr prg"
_CREATORS_IN_MAIN_ENTRY = "arc art aus cll com ctg dsr ive ivr pht scl sce"
_OF_COPIES = "ann auc bnd bpd con dnr dpt fmo ins len own rps sll"
_OF_PRODUCTION = "bdd bsl dst evp fds mfp mfr pbl prp prt pup uvp"
_OF_RIGHTS = "app asg cns cpc cph lse lso pta pth"
_BESIDE_CONTENT = "asn dgc dgg dpc dte dub fnd his hnr opn pat rcp spn wit"
_PARTIES_TO_CASES = (
    "ape apl coe cos cot cou cpe cpl cpt cte cts ctt dfd dfe dft fpy lee lel let lie lil lit pte ptf ptt rse rst spy"
)

CREATOR_ROLES = frozenset(_CREATORS.split())
"""Roles that make an agent a ``dcterms:creator``: those of RDA, appendix I.2.1, except those below."""

CREATOR_ROLES_OF_CONTENT = {
    "cartographic": frozenset(("ctg",)),
    "still image": frozenset(("arc", "art", "dsr", "pht")),
    "three dimensional object": frozenset(("arc", "art", "dsr", "scl")),
}
"""``typeOfResource`` → further roles of its creators, who contribute to resources of another kind."""

CREATOR_ROLES_OF_MAIN_ENTRY = frozenset(_CREATORS_IN_MAIN_ENTRY.split())
"""Roles of creators if the publication is entered under them, such as that of the compiler of a bibliography."""

ROLES_IN_WORKS = frozenset(["abr", "adp", "arr", "aud", "cmp", "lbt", "lyr", "trl"])
"""Roles of agents who made the text or music, beside those of its creators."""

ROLES_WITHOUT_CONTRIBUTION = frozenset(
    " ".join((_OF_COPIES, _OF_PRODUCTION, _OF_RIGHTS, _BESIDE_CONTENT, _PARTIES_TO_CASES)).split()
)
"""Roles of agents who had no part in the content, such as owners of a copy, printers and dedicatees."""

CLASSES_OF_CONTENT = {
    "text": ("bibo:Document", "schema:CreativeWork"),
    "cartographic": ("bibo:Map", "schema:Map"),
    "notated music": ("bibo:Document", "schema:SheetMusic"),
    "sound recording": ("bibo:AudioDocument", "schema:AudioObject"),
    "sound recording-musical": ("bibo:AudioDocument", "schema:AudioObject"),
    "sound recording-nonmusical": ("bibo:AudioDocument", "schema:AudioObject"),
    "still image": ("bibo:Image", "schema:VisualArtwork"),
    "moving image": ("bibo:AudioVisualDocument", "schema:CreativeWork"),
    "mixed material": ("bibo:Collection", "schema:Collection"),
}
"""``typeOfResource`` → classes; others are ``bibo:Document`` and ``schema:CreativeWork``."""

ISSUANCES = {
    "monographic": "mono",
    "single unit": "mono",
    "multipart monograph": "mulm",
    "serial": "serl",
    "continuing": "serl",
    "integrating resource": "intg",
}
"""``issuance`` → code of https://id.loc.gov/vocabulary/issuance."""

CARRIERS = {"print": "bf:Print", "electronic": "bf:Electronic"}
"""``form`` → class of BIBFRAME's instances; ``bf:Manuscript`` is a class of works."""

CONTENT_OF_RESOURCE = {
    "text": "txt",
    "cartographic": "cri",
    "notated music": "ntm",
    "sound recording-musical": "prm",
    "sound recording-nonmusical": "spw",
    "still image": "sti",
    "moving image": "tdi",
    "three dimensional object": "tdf",
}
"""``typeOfResource`` → the code of the content type that it implies."""

PROPERTY_OF_TYPE = {"content": "bf:content", "media": "bf:media", "carrier": "bf:carrier"}
"""Kind of type (336 to 338 of MARC 21) → property; ``bf:content`` is one of works."""

TEXT_OF_NOTE = {
    "creation/production credits": "bf:credits",
    "ownership": "bf:custodialHistory",
    "preferred citation": "bf:preferredCitation",
    "statement of responsibility": "bf:responsibilityStatement",
}
"""``note/@type`` → property whose value is the text of the note."""

NODE_OF_NOTE = {
    "acquisition": ("bf:immediateAcquisition", "bf:ImmediateAcquisition"),
    "acquisition source": ("bf:acquisitionSource", "bf:AcquisitionSource"),
    "bibliography": ("bf:supplementaryContent", "bf:SupplementaryContent"),
    "binding": ("bf:binding", "bf:Binding"),
    "system details": ("bf:systemRequirement", "bf:SystemRequirement"),
    "thesis": ("bf:dissertation", "bf:Dissertation"),
    "venue": ("bf:capture", "bf:Capture"),
}
"""``note/@type`` → property and class of a node with the text; others are ``bf:note`` with ``bf:noteType``."""

_IDENTIFIERS = "isbn issn lccn doi hdl urn isrc ismn istc isan upc ean sici nbn coden strn local"

CLASS_OF_IDENTIFIER = {kind: f"bf:{kind.capitalize()}" for kind in _IDENTIFIERS.split()} | {
    "issn-l": "bf:IssnL",
    "nban": "bf:Local",
    "oclc": "bf:OclcNumber",
    "issue number": "bf:AudioIssueNumber",
    "publisher number": "bf:PublisherNumber",
    "report number": "bf:ReportNumber",
    "matrix number": "bf:MatrixNumber",
    "music plate": "bf:MusicPlate",
    "music publisher": "bf:MusicPublisherNumber",
    "videorecording identifier": "bf:VideoRecordingNumber",
    "stock number": "bf:StockNumber",
}
"""``identifier/@type`` → class of BIBFRAME; others are ``bf:Identifier``."""

NAME_OF_IDENTIFIER = {"legal deposit number": "legal deposit"}
"""``identifier/@type`` as some records have it → as it is published (``dc:type``)."""

CLASS_OF_CLASSIFICATION = {scheme: f"bf:Classification{scheme.capitalize()}" for scheme in ("ddc", "lcc", "udc", "nlm")}
"""``classification/@authority`` → class of BIBFRAME; others are ``bf:Classification``."""

CONTENT_TYPE_AUTHORITIES = frozenset(("rdacontent", "isbdcontent"))
"""``genre/@authority`` of content types, which are no genres."""

_ENGLISH_SCHEMES = "aat fast homoit lcdgt lcgft lcmpt lcsh lcshac marcgt marcmuscomp marctarget mesh nal rdacontent"

SCHEME_LANGUAGES = {
    **dict.fromkeys(_ENGLISH_SCHEMES.split(), "en"),
    **dict.fromkeys(("nlr-sh", "nlr_sh"), "ru"),
    **dict.fromkeys(("ram", "rameau", "rvm", "rvmgf"), "fr"),
    **dict.fromkeys(("gnd", "gnd-content"), "de"),
}
"""Schemes of subjects that have one language."""

_EVENTS = ("publication", "production", "distribution", "manufacture")

CLASS_OF_EVENT = dict(zip(_EVENTS, map("bf:{}".format, map(str.capitalize, _EVENTS)), strict=True))
"""Event of an ``originInfo`` → class of BIBFRAME."""

STATEMENT_OF_EVENT = {event: f"bf:{event}Statement" for event in _EVENTS}
"""Event of an ``originInfo`` → the property that holds its wording."""

RELATIONS = {
    "host": "dcterms:isPartOf",
    "series": "dcterms:isPartOf",
    "constituent": "dcterms:hasPart",
    "preceding": "dcterms:replaces",
    "succeeding": "dcterms:isReplacedBy",
    "original": "dcterms:isVersionOf",
    "otherVersion": "dcterms:hasVersion",
    "otherFormat": "dcterms:hasFormat",
    "isReferencedBy": "dcterms:isReferencedBy",
    "references": "dcterms:references",
    "reviewOf": "bibo:reviewOf",
}
"""``relatedItem/@type`` → property; others are ``dcterms:relation``."""


_EXTERNAL = {
    "lcsh": "http://id.loc.gov/authorities/subjects",
    "lcshac": "http://id.loc.gov/authorities/childrensSubjects",
    "lcgft": "http://id.loc.gov/authorities/genreForms",
    "lcdgt": "http://id.loc.gov/authorities/demographicTerms",
    "lcmpt": "http://id.loc.gov/authorities/performanceMediums",
    "marcgt": "http://id.loc.gov/vocabulary/marcgt",
    "marcmuscomp": "http://id.loc.gov/vocabulary/marcmuscomp",
    "fast": "http://id.worldcat.org/fast/ontology/1.0/#fast",
    "mesh": "http://id.nlm.nih.gov/mesh",
    "aat": "http://vocab.getty.edu/aat/",
}
"""Code of a scheme → the IRI that others know it by."""

_NAMES = {
    "lcsh": ("Library of Congress Subject Headings", "Предметные рубрики Библиотеки Конгресса"),
    "lcshac": ("Children's subject headings of the Library of Congress", ""),
    "lcgft": ("Library of Congress Genre/Form Terms", "Термины жанра и формы Библиотеки Конгресса"),
    "marcgt": ("MARC Genre Terms", "Термины жанра MARC"),
    "fast": ("Faceted Application of Subject Terminology", ""),
    "mesh": ("Medical Subject Headings", "Медицинские предметные рубрики"),
    "aat": ("Art & Architecture Thesaurus", ""),
    "gnd": ("Integrated Authority File (GND)", ""),
    "gnd-carrier": ("Carrier types of the Integrated Authority File (GND)", ""),
    "gnd-content": ("Content types of the Integrated Authority File (GND)", ""),
    "agricola": ("AGRICOLA", ""),
    "bcl": ("Netherlands Basic Classification", ""),
    "bisacsh": ("BISAC Subject Headings", ""),
    "csh": ("Canadian Subject Headings", ""),
    "ericd": ("Thesaurus of ERIC Descriptors", ""),
    "gmgpc": ("Thesaurus for Graphic Materials: Genre and Physical Characteristic Terms", ""),
    "gsafd": ("Guidelines on Subject Access to Individual Works of Fiction, Drama, etc.", ""),
    "homoit": ("Homosaurus", ""),
    "lctgm": ("Thesaurus for Graphic Materials: Subject Terms", ""),
    "marcmuscomp": ("MARC Form of Musical Composition Codes", ""),
    "marctarget": ("MARC Target Audience Terms", ""),
    "nal": ("NAL Agricultural Thesaurus", ""),
    "nasat": ("NASA Thesaurus", ""),
    "nlm": ("National Library of Medicine Classification", ""),
    "rvmgf": ("Genre and form terms of the Université Laval", ""),
    "sdnb": ("Subject groups of the Deutsche Nationalbibliografie", ""),
    **dict.fromkeys(("swd", "sswd"), ("Subject Headings Authority File (SWD, now part of the GND)", "")),
    "unbist": ("UNBIS Thesaurus", ""),
    **dict.fromkeys(("ram", "rameau"), ("RAMEAU, subject headings of the Bibliothèque nationale de France", "")),
    "rvm": ("Subject headings of the Université Laval (Répertoire de vedettes-matière)", ""),
    "lcdgt": ("Library of Congress Demographic Group Terms", ""),
    "lcmpt": ("Library of Congress Medium of Performance Thesaurus", ""),
    "ssgn": ("Special subject collections of libraries in Germany (SSG)", ""),
    "local": ("Local terms", "Местные термины"),
    "local_sh": ("Local subject headings", "Местные предметные рубрики"),
    "keywords": ("Terms without a scheme", "Термины без схемы"),
    **dict.fromkeys(
        ("nlr-sh", "nlr_sh"),
        (
            "Subject headings of the National Library of Russia",
            "Предметные рубрики Российской национальной библиотеки",
        ),
    ),
    "rubbk": ("Library Bibliographic Classification (Russia)", "Библиотечно-библиографическая классификация"),
    "udc": ("Universal Decimal Classification", "Универсальная десятичная классификация"),
    "ddc": ("Dewey Decimal Classification", "Десятичная классификация Дьюи"),
    "lcc": ("Library of Congress Classification", "Классификация Библиотеки Конгресса"),
    "sudocs": ("Superintendent of Documents Classification", ""),
    "rugasnti": (
        "State Rubricator of Scientific and Technical Information (Russia)",
        "Государственный рубрикатор научно-технической информации",
    ),
}
"""Code of a scheme → its name in English and Russian, after the lists of source codes of the Library of Congress."""


def scheme_iri(code: str, iris: Iris) -> str:
    """Return the IRI of a scheme: the one that others know it by, else one of this dataset."""
    return _EXTERNAL.get(code) or iris.scheme(code)


def scheme_names(code: str) -> tuple[tuple[str, str], ...]:
    """Return the names of a scheme, each with its language tag."""
    names = zip(_NAMES.get(code, ()), ("en", "ru"), strict=False)
    return tuple((name, language) for name, language in names if name)
