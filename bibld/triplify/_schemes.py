"""Schemes of concepts and class marks: their IRIs, and their names."""

from __future__ import annotations

from bibld.model.iris import Iris

_EXTERNAL = {
    "lcsh": "http://id.loc.gov/authorities/subjects",
    "lcshac": "http://id.loc.gov/authorities/childrensSubjects",
    "lcgft": "http://id.loc.gov/authorities/genreForms",
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
    "keywords": ("Terms without a scheme", "Термины без схемы"),
    "nlr-sh": (
        "Subject headings of the National Library of Russia",
        "Предметные рубрики Российской национальной библиотеки",
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
"""Code of a scheme → its name in English and Russian."""


def scheme_iri(code: str, iris: Iris) -> str:
    """Return the IRI of a scheme: the one that others know it by, else one of this dataset."""
    return _EXTERNAL.get(code) or iris.scheme(code)


def scheme_names(code: str) -> tuple[tuple[str, str], ...]:
    """Return the names of a scheme, each with its language tag; its code without a language if there are none."""
    names = zip(_NAMES.get(code, ()), ("en", "ru"), strict=False)
    return tuple((name, language) for name, language in names if name) or ((code, ""),)
