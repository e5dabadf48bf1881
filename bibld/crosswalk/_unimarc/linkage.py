"""Fields of one record that repeat each other in another script: ``$6`` links them, ``$7`` names the script.

UNIMARC Manual, control subfields: ``$6`` is a letter for the reason of the link, a number of two digits and, where the
format requires it, the tag of the other field (``a01``, ``z01700``); ``$7`` begins with the code of the script that
100$a/34-35 has too (``ba`` Latin, ``ca`` Cyrillic …).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from bibld.crosswalk._view import Conventions, Linkage, LinkedField
from bibld.model.marc import DataField, MarcRecord
from bibld.text.scripts import first_foreign_script

_LINK = re.compile(r"[a-z]?(\d\d)(\d{3})?.*", re.IGNORECASE)
_OTHER_FORMS = "79"
"""How the tags of other forms of a name begin, which another rule adds to their heading."""

_NAMES = ("70", "71", "72")
"""How the tags of names begin, of which each kind has more than one tag."""

_SCRIPT = {
    "ba": "Latn", "ca": "Cyrl", "da": "Jpan", "db": "Jpan", "dc": "Jpan", "ea": "Hani", "fa": "Arab", "ga": "Grek",
    "ha": "Hebr", "ia": "Thai", "ja": "Deva", "ka": "Kore", "la": "Taml", "ma": "Geor", "mb": "Armn",
}  # fmt: skip


def conventions_of(record: MarcRecord) -> Conventions:
    """Return conventions that link the fields of this record which have their counterpart in another script."""
    firsts: dict[tuple[str, str], DataField] = {}
    linked: dict[tuple[str, str], list[DataField]] = {}
    for field in record.fields():
        key = _key(field)
        if key is not None:
            firsts.setdefault(key, field)
            linked.setdefault(key, []).append(field)
    pairs = {key for key, fields in linked.items() if len(fields) > 1}
    return Conventions(link=_linker(firsts, pairs)) if pairs else Conventions()


def _key(field: DataField) -> tuple[str, str] | None:
    """Return what a field and its counterpart have in common: tag (or kind of name) and number of the link."""
    link = _LINK.fullmatch((field.first("6") or "").strip())
    if link is None or _OTHER_FORMS in (field.tag[:2], (link[2] or "")[:2]):
        return None
    return field.tag[:2] if field.tag.startswith(_NAMES) else field.tag, link[1]


def _linker(
    firsts: dict[tuple[str, str], DataField], pairs: set[tuple[str, str]]
) -> Callable[[DataField], LinkedField | None]:
    def link(field: DataField) -> LinkedField | None:
        key = _key(field)
        if key not in pairs or key is None:
            return None
        return LinkedField(field, Linkage(key[1], _script(field), is_alternate=firsts[key] is not field))

    return link


def _script(field: DataField) -> str:
    named = _SCRIPT.get((field.first("7") or "").strip()[:2].lower())
    return named or first_foreign_script(" ".join(item.value for item in field.subfields if item.code.isalpha()))
