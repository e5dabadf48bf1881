"""Names of the main classes of classifications, for people."""

from __future__ import annotations

from bibld.serve._language import message

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
