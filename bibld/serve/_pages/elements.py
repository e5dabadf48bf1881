"""Names of the elements of MODS, of types of resource, and of decisions, for people."""

from __future__ import annotations

from bibld.serve._language import message

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
