"""The punctuation that ISBD prescribes between the parts of a description, and how to take it off again."""

from __future__ import annotations

from collections.abc import Callable

_MARKS = " .:,;/،؛"
_CLOSING = _MARKS + "="

_ABBREVIATIONS = (
    "al approx assoc ave bd bldg bros ca cie co col comp corp cz dept dr ed eds etc fl gen ges gmbh gov govt hrsg ill "
    "inc jr llc ltd mfg min mr mrs ms mt no nos nr op prof proj pt pub rev ser sr st t univ verl vol "
    "авт акад в вв вып г гг д др ед изд им ин испр кн лит мин н обл общ п пер перераб проф публ ред рис сб сер соч "
    "сост св см тип т тт ун ч экз"
)
_ABBREVIATED = frozenset(_ABBREVIATIONS.split())

_OPENING_SUPPLIED = "["
_CLOSING_SUPPLIED = "]"


def chop(text: str) -> str:
    """Take the marks that lead to the next part off the end: ``. : , ; /`` and `` =`` (also their Arabic forms).

    An ellipsis stays, and so does the full stop of an abbreviation (``etc.``, ``U.S.``).
    """
    if not text or text[-1] not in _CLOSING:
        return text
    return _chopped(text, _is_abbreviated)


def chop_name(text: str) -> str:
    """As :func:`chop`, and the full stop of a final initial stays (``Kemble, E. W.``)."""
    if not text or text[-1] not in _CLOSING:
        return text
    return _chopped(text, _ends_in_initial)


def unbracketed(text: str) -> tuple[str, bool]:
    """Take off square brackets that enclose the whole text, or lack their partner; say whether there were any.

    ISBD puts brackets around what the cataloguer supplied.
    """
    opens, closes = text.startswith(_OPENING_SUPPLIED), text.endswith(_CLOSING_SUPPLIED)
    if opens and closes and text.find(_CLOSING_SUPPLIED) == len(text) - 1:
        return text[1:-1].strip(), True
    if opens and _CLOSING_SUPPLIED not in text:
        return text[1:].strip(), True
    if closes and _OPENING_SUPPLIED not in text:
        return text[:-1].strip(), True
    return text, False


def _chopped(text: str, keeps_full_stop: Callable[[str], bool]) -> str:
    kept = text.rstrip(_MARKS)
    while kept.endswith(" =") or kept == "=":
        kept = kept[:-1].rstrip(_MARKS)
    cut = text[len(kept) :]
    ellipsis = cut.find("...")
    if ellipsis >= 0:
        return kept + cut[: ellipsis + 3]
    if cut.startswith(".") and keeps_full_stop(kept):
        return kept + "."
    return kept


def _is_abbreviated(text: str) -> bool:
    word = text.replace("-", " ").rpartition(" ")[2].lstrip("([").casefold()
    if "." in word:
        return len(word.rpartition(".")[2]) == 1
    return word in _ABBREVIATED


def _ends_in_initial(text: str) -> bool:
    word = text.rpartition(" ")[2]
    return (len(word) == 1 and word.isalpha()) or _is_abbreviated(text)
