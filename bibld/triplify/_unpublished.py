"""Why some elements and attributes of MODS make no triple."""

from __future__ import annotations

from fnmatch import fnmatchcase

REASONS = (
    ("recordInfo/*", "about the record, not the publication: it is in the MODS of the record"),
    ("*/XML", "XML of another schema is not interpreted"),
    ("extension/@type", "XML of another schema is not interpreted"),
    ("*/@altFormat", "how the element is delivered in XML"),
    ("*/@contentType", "how the element is delivered in XML"),
    ("*/@shareable", "how the element is delivered in XML"),
    ("*/@typeURI", "the type is read as a word"),
    ("*/@eventTypeURI", "the type is read as a word"),
    ("*/@otherTypeURI", "the type is read as a word"),
    ("*/@otherTypeAuth*", "the type is read as a word"),
    ("*/@nameTitleGroup", "connects a name and a title within MODS"),
    ("*/@script", "the script of a text is found from its letters"),
    ("*/@transliteration", "the script of a text is found from its letters"),
    (
        "*/@altRepGroup",
        "connects the forms of one value in two scripts; titles in two scripts have different language tags",
    ),
    ("*/@ID", "names the element within its XML"),
    ("*/@authorityURI", "the scheme is found by its code"),
    ("*/@lang", "the language of a text that is published without one, or has that of the publication"),
    ("*/@xml:lang", "the language of a text that is published without one, or has that of the publication"),
    ("*/@supplied", "where the cataloguer found the value"),
    ("*/@generator", "how the class mark was found"),
    ("*/@calendar", "how the date is to be read; the date is published as it is read"),
    ("*/@encoding", "how the date is to be read; the date is published as it is read"),
    ("*/@keyDate", "how the date is to be read; the date is published as it is read"),
    ("*/@point", "how the date is to be read; the date is published as it is read"),
    ("*/@qualifier", "how the date is to be read; the date is published as it is read"),
    ("originInfo/*/@type", "the kind of the value is not published, or is that without the attribute"),
    ("*/@unit", "the text of the extent contains it"),
    ("*/extent/total", "follows from the first and the last page"),
    (
        "part/*",
        "the place of a part is published as volume, issue, number, chapter and pages, else in the words of part/text",
    ),
    ("originInfo/@eventType", "publication, which is meant where nothing is stated"),
    ("*/displayDate", "the dates themselves are published"),
    ("originInfo/place/cartographics/*", "a place of publication is published by its name"),
    ("originInfo/place/placeIdentifier", "a place of publication is published by its name"),
    (
        "*/roleTerm*",
        "the code and the word of a role make the same triples; a role of a subject makes none",
    ),
    ("*/affiliation", "belongs to the person at the time of publication, not to the agent of all publications"),
    ("*/name/description", "belongs to the person at the time of publication, not to the agent of all publications"),
    ("name/description", "belongs to the person at the time of publication, not to the agent of all publications"),
    ("*/etal", "states that names are missing"),
    (
        "*/alternativeName/*",
        "an agent is identified by the numbers of its heading; other names are published as they are",
    ),
    ("name/nameIdentifier*", "a number that makes the IRI of the agent, or is invalid"),
    ("language/scriptTerm*", "scripts are published as language tags of the texts themselves"),
    ("physicalDescription/form", "another form makes the same triples, or it is in no list of forms"),
    ("physicalDescription/digitalOrigin", "no vocabulary in the data has a property for it"),
    ("physicalDescription/reformattingQuality", "no vocabulary in the data has a property for it"),
    ("location/holdingSimple/*", "details of a copy beyond shelf, number and place are in the MODS of the record"),
    ("location/physicalLocation/@*", "the institution is identified by its code or its name"),
    ("location/url/@*", "a remark on the address"),
    ("location/url", "an address that is not http or https is published as text"),
    ("*/@authority", "the value alone is enough to find its meaning"),
    ("*titleInfo/@otherType", "the kinds of titles are those of titleInfo/@type"),
    ("*/@otherType", "only the relations that MODS lists have properties; others are dcterms:relation"),
    ("*/@xlink:href", "an address about the element, for which the vocabularies have no property"),
    ("*/@usage", "which of the values is the main one"),
    ("*/@displayLabel", "words for display"),
    ("*/@altType", "the kind of the value is not published"),
    ("*/@type", "the kind of the value is not published, or is that without the attribute"),
)
"""Names of elements and attributes (``*``: anything) → why they make no triple, the first that fits."""


def reason_of(name: str) -> str:
    """Return why an element or attribute makes no triple; empty if nothing is known about it."""
    return next((reason for pattern, reason in REASONS if fnmatchcase(name, pattern)), "")
