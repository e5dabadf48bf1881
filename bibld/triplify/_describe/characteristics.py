"""Characteristics of the physical form: color, sound, material, file format … and playing time, by BIBFRAME."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from bibld.model.iris import web_iri
from bibld.model.mods import Form
from bibld.model.rdf import iri, typed_literal
from bibld.text.resource_types import LISTS, type_code
from bibld.triplify._codes import loc
from bibld.triplify._draft import Draft

DURATION = "duration"
"""How ``extent/@unit`` of a playing time begins: it is that of the resource, or ``duration of a part``."""

_LINKS_REMEMBERED = 1 << 10


class Characteristic(NamedTuple):
    """The property of a kind of characteristic, the class of its value, and the list of its terms at id.loc.gov."""

    predicate: str
    class_: str
    listed_in: str = ""


_SOUND, _VIDEO, _DIGITAL = "bf:soundCharacteristic", "bf:videoCharacteristic", "bf:digitalCharacteristic"

CHARACTERISTICS = {
    "material": Characteristic("bf:baseMaterial", "bf:BaseMaterial"),
    "applied material": Characteristic("bf:appliedMaterial", "bf:AppliedMaterial"),
    "technique": Characteristic("bf:productionMethod", "bf:ProductionMethod"),
    "mount": Characteristic("bf:mount", "bf:Mount"),
    "color content": Characteristic("bf:colorContent", "bf:ColorContent", "mcolor"),
    "generation": Characteristic("bf:generation", "bf:Generation"),
    "layout": Characteristic("bf:layout", "bf:Layout"),
    "book format": Characteristic("bf:bookFormat", "bf:BookFormat"),
    "font size": Characteristic("bf:fontSize", "bf:FontSize"),
    "polarity": Characteristic("bf:polarity", "bf:Polarity"),
    "illustrative content": Characteristic("bf:illustrativeContent", "bf:Illustration", "millus"),
    "reduction ratio": Characteristic("bf:reductionRatio", "bf:ReductionRatio"),
    "type of recording": Characteristic(_SOUND, "bf:RecordingMethod", "mrectype"),
    "recording medium": Characteristic(_SOUND, "bf:RecordingMedium", "mrecmedium"),
    "playing speed": Characteristic(_SOUND, "bf:PlayingSpeed", "mplayspeed"),
    "groove characteristic": Characteristic(_SOUND, "bf:GrooveCharacteristic"),
    "track configuration": Characteristic(_SOUND, "bf:TrackConfig"),
    "tape configuration": Characteristic(_SOUND, "bf:TapeConfig"),
    "playback channels": Characteristic(_SOUND, "bf:PlaybackChannels", "mplayback"),
    "special playback characteristic": Characteristic(_SOUND, "bf:PlaybackCharacteristic"),
    "capture and storage technique": Characteristic(_SOUND, "bf:CaptureStorage"),
    "sound content": Characteristic("bf:soundContent", "bf:SoundContent", "msoundcontent"),
    "presentation format": Characteristic("bf:projectionCharacteristic", "bf:PresentationFormat"),
    "projection speed": Characteristic("bf:projectionCharacteristic", "bf:ProjectionSpeed"),
    "aspect ratio": Characteristic("bf:aspectRatio", "bf:AspectRatio"),
    "video format": Characteristic(_VIDEO, "bf:VideoFormat"),
    "broadcast standard": Characteristic(_VIDEO, "bf:BroadcastStandard"),
    "file type": Characteristic(_DIGITAL, "bf:FileType", "mfiletype"),
    "encoding format": Characteristic(_DIGITAL, "bf:EncodingFormat", "mencformat"),
    "file size": Characteristic(_DIGITAL, "bf:FileSize"),
    "resolution": Characteristic(_DIGITAL, "bf:Resolution"),
    "regional encoding": Characteristic(_DIGITAL, "bf:RegionalEncoding"),
    "encoded bitrate": Characteristic(_DIGITAL, "bf:EncodedBitrate"),
    "music format": Characteristic("bf:musicFormat", "bf:MusicFormat", "mmusicformat"),
    "music notation": Characteristic("bf:notation", "bf:MusicNotation"),
    "supplementary content": Characteristic("bf:supplementaryContent", "bf:SupplementaryContent", "msupplcont"),
}
"""``form/@type`` → how it is published."""

DIMENSIONS = "dimensions"
"""``form/@type`` of a size, which is published as a text."""


def describe_characteristic(draft: Draft, form: Form) -> bool:
    """Describe a characteristic by the term of a list, or by a node with its words; False if the form is none."""
    if form.type == DIMENSIONS:
        draft.add_text("bf:dimensions", form.value)
        return True
    known = CHARACTERISTICS.get(form.type or "")
    if known is None:
        return False
    code = type_code(known.listed_in, form.value) if known.listed_in in LISTS else None
    value = loc(known.listed_in, code) if code is not None else term_of_link(form.value_uri)
    if value is not None:
        draft.add(known.predicate, value)
    else:
        draft.add_labelled_node(known.predicate, known.class_, "characteristic", form.value)
    return True


_LOC = re.compile(r"https?://id\.loc\.gov/(vocabulary/[A-Za-z]+/[a-z0-9]+)(?:\.html)?")
_RDA = re.compile(r"https?://(?:www\.)?rdaregistry\.info/termList/([A-Za-z]+)/#?([0-9]+)")


@lru_cache(_LINKS_REMEMBERED)
def term_of_link(link: str | None) -> str | None:
    """Return the term of id.loc.gov or RDA that a link of a record leads to, which may be the address of its page.

    Links to other files are those of concepts of any kind.
    """
    if link is None or web_iri(link) is None:
        return None
    loc_term, rda_term = _LOC.fullmatch(link.strip()), _RDA.fullmatch(link.strip())
    if loc_term is not None:
        return iri(f"http://id.loc.gov/{loc_term[1]}")
    if rda_term is not None:
        return iri(f"http://rdaregistry.info/termList/{rda_term[1]}/{rda_term[2]}")
    return None


_CLOCK = re.compile(r"(\d{1,3}):([0-5]\d):([0-5]\d)")


def describe_duration(draft: Draft, times: list[str]) -> None:
    """Describe the playing time of the resource, if records agree on it."""
    found = _CLOCK.fullmatch(times[0]) if len(set(times)) == 1 else None
    if found is not None:
        parts = ((int(number), unit) for number, unit in zip(found.groups(), "HMS", strict=True))
        written = "".join(f"{number}{unit}" for number, unit in parts if number)
        if written:
            draft.add("bf:duration", typed_literal(f"PT{written}", "duration"))
