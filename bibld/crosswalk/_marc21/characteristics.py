"""Characteristics of the form: 306, 340, 344-348, 353 → extent and form of physicalDescription.

The kind of each characteristic is the ``type`` of its form (MODS guidelines, physicalDescription).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from bibld.crosswalk._marc21.codes import CHARACTERISTICS
from bibld.crosswalk._marc21.conventions import Marc21View
from bibld.crosswalk._texts import address, chop, first_address
from bibld.model import mods
from bibld.model.marc import DataField
from bibld.text.resource_types import code_iri

CODED = {"348": {"b": ("music format", "mmusicformat")}, "353": {"b": ("supplementary content", "msupplcont")}}
"""Tag → subfield that has the code of the term before it → ``type``, and the list of the code at id.loc.gov."""

DURATION, DURATION_OF_PART = "duration", "duration of a part"
"""The ``unit`` of an extent that is the playing time of the resource, and of one that is that of a part."""

_PLAYING_TIME = re.compile(r"(\d\d)([0-5]\d)([0-5]\d)")


def durations(field: DataField, view: Marc21View) -> Iterator[mods.Extent]:
    """Yield the playing times of field 306, ``004530`` as ``00:45:30``; more than one are those of parts."""
    stated = field.values("a")
    unit = DURATION if len(stated) == 1 and len(list(view.fields("306"))) == 1 else DURATION_OF_PART
    for text in stated:
        found = _PLAYING_TIME.fullmatch(text.strip(" ()."))
        if found is not None and found[0] != "000000":
            yield mods.Extent(value=":".join(found.groups()), unit=unit)
        elif text.strip(" -"):
            view.warn(f"306$a {text!r} is not a playing time (hhmmss); left out")


def characteristics(field: DataField) -> list[mods.Form]:
    """Return the forms that a field states, each with its link.

    Links in ``$0`` and ``$1`` belong to the terms in their order if there are as many, or all to the only term.
    """
    kinds, codes = CHARACTERISTICS[field.tag], CODED.get(field.tag, {})
    forms: list[mods.Form] = []
    links = [link for link in map(address, field.values("0", "1")) if link is not None]
    for subfield in field.subfields:
        code, text = subfield.code, chop(subfield.value)
        if code in kinds and text:
            forms.append(mods.Form(value=text, type=kinds[code]))
        elif code in codes and text:
            kind, listed_in = codes[code]
            link = code_iri(listed_in, text)
            if forms and forms[-1].type == kind and forms[-1].value_uri is None:
                forms[-1] = replace(forms[-1], value_uri=link)
            else:
                forms.append(mods.Form(value=text, type=kind, value_uri=link))
    if len(links) == len(forms):
        forms = [replace(form, value_uri=link) for form, link in zip(forms, links, strict=True)]
    elif len(forms) == 1 and links:
        forms = [replace(forms[0], value_uri=first_address(links))]
    scheme = field.first("2")
    return [replace(form, authority=scheme) for form in forms] if scheme is not None else forms
