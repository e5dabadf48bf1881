"""Codes of the fixed fields of MARC 21 (leader, 007, 008) and the terms of MODS for them."""

from __future__ import annotations

TYPE_OF_RESOURCE = {
    "a": "text", "t": "text",
    "e": "cartographic", "f": "cartographic",
    "c": "notated music", "d": "notated music",
    "i": "sound recording-nonmusical",
    "j": "sound recording-musical",
    "k": "still image",
    "g": "moving image",
    "r": "three dimensional object",
    "m": "software, multimedia",
    "o": "mixed material", "p": "mixed material",
}  # fmt: skip
"""Leader/06."""

MANUSCRIPT_TYPES = "dfpt"
"""Leader/06 of what is written by hand."""

ISSUANCE = {
    "a": "monographic", "c": "monographic", "d": "monographic", "m": "monographic",
    "i": "integrating resource",
    "b": "serial", "s": "serial",
}  # fmt: skip
"""Leader/07."""

BOOK, SERIAL, FILE, MAP, MUSIC, VISUAL, MIXED = "book", "serial", "file", "map", "music", "visual", "mixed"

CONFIGURATION = {
    "t": BOOK, "p": MIXED, "m": FILE, "e": MAP, "f": MAP, "g": VISUAL, "k": VISUAL, "o": VISUAL, "r": VISUAL,
    "c": MUSIC, "d": MUSIC, "i": MUSIC, "j": MUSIC,
}  # fmt: skip
"""Leader/06 and how 008/18-34 is to be read; language material (a) depends on leader/07."""

CONFIGURATION_OF_LEVEL = {"a": BOOK, "c": BOOK, "d": BOOK, "m": BOOK, "b": SERIAL, "i": SERIAL, "s": SERIAL}
"""The same for leader/06 a, by leader/07."""

FREQUENCY = {
    "a": "Annual", "b": "Bimonthly", "c": "Semiweekly", "d": "Daily", "e": "Biweekly", "f": "Semiannual",
    "g": "Biennial", "h": "Triennial", "i": "Three times a week", "j": "Three times a month",
    "k": "Continuously updated", "m": "Monthly", "q": "Quarterly", "s": "Semimonthly", "t": "Three times a year",
    "u": "Unknown", "w": "Weekly", "x": "Completely irregular",
}  # fmt: skip
"""008/18 of a serial."""

SERIAL_GENRE = {
    "d": "database", "l": "loose-leaf", "m": "series", "n": "newspaper", "p": "periodical", "w": "web site",
}  # fmt: skip
"""008/21 of a serial."""

AUDIENCE = {
    "a": "preschool", "b": "juvenile", "c": "juvenile", "d": "adolescent", "e": "adult", "f": "specialized",
    "g": "general", "j": "juvenile",
}  # fmt: skip
"""008/22."""

CONTENTS_GENRE = {
    "a": "abstract or summary", "b": "bibliography", "c": "catalog", "d": "dictionary", "e": "encyclopedia",
    "f": "handbook", "g": "legal article", "i": "index", "k": "discography", "l": "legislation", "m": "theses",
    "n": "survey of literature", "o": "review", "p": "programmed text", "q": "filmography", "r": "directory",
    "s": "statistics", "t": "technical report", "v": "legal case and case notes", "w": "law report or digest",
    "z": "treaty",
}  # fmt: skip
"""008/24-27 of books and serials."""

BOOK_CONTENTS_GENRE = CONTENTS_GENRE | {"j": "patent", "2": "offprint"}
"""008/24-27 of books."""

MAP_GENRE = {"a": "map", "b": "map", "c": "map", "e": "atlas"}
"""008/25 of maps; ``d`` is a globe."""

FILE_GENRE = {"a": "numeric data", "e": "database", "f": "font", "g": "game"}
"""008/26 of computer files."""

GOVERNMENT_CODES = "acfilmosz"
"""008/28: publications of a government."""

MUSIC_TEXT_GENRE = {
    "b": "biography", "c": "conference publication", "d": "drama", "e": "essay", "f": "fiction", "o": "folktale",
    "h": "history", "k": "humor, satire", "m": "memoir", "p": "poetry", "r": "rehearsal", "g": "reporting",
    "s": "sound", "l": "speech",
}  # fmt: skip
"""008/30-31 of music."""

LITERARY_FORM = {
    "1": "fiction", "e": "essay", "d": "drama", "c": "comic strip", "h": "humor, satire", "i": "letter",
    "f": "novel", "j": "short story", "m": "mixed forms", "p": "poetry", "s": "speech",
}  # fmt: skip
"""008/33 of books."""

VISUAL_GENRE = {
    "a": "art original", "b": "kit", "c": "art reproduction", "d": "diorama", "f": "filmstrip", "g": "game",
    "i": "picture", "k": "graphic", "l": "technical drawing", "m": "motion picture", "n": "chart",
    "o": "flash card", "p": "microscope slide", "q": "model", "r": "realia", "s": "slide", "t": "transparency",
    "v": "videorecording", "w": "toy",
}  # fmt: skip
"""008/33 of visual materials."""

BIOGRAPHY_CODES = "abcd"
"""008/34 of books."""

FORM_OF_ITEM = {
    "a": "microfilm", "b": "microfiche", "c": "microopaque", "d": "large print", "f": "braille", "o": "electronic",
    "q": "electronic", "r": "print", "s": "electronic",
}  # fmt: skip
"""008/23 (008/29 of maps and visual materials)."""

DIGITAL_ORIGIN = {"a": "reformatted digital", "b": "digitized microfilm", "d": "digitized other analog"}
"""007/11 of electronic resources; 135$a/10 of UNIMARC."""

REFORMATTING_QUALITY = {"a": "access", "p": "preservation", "r": "replacement"}
"""007/13 of electronic resources; 135$a/12 of UNIMARC."""

MATERIAL_CATEGORY = {
    "a": "map", "c": "electronic resource", "d": "globe", "f": "tactile material", "g": "projected graphic",
    "h": "microform", "k": "nonprojected graphic", "m": "motion picture", "o": "kit", "q": "notated music",
    "r": "remote-sensing image", "s": "sound recording", "t": "text", "v": "videorecording",
}  # fmt: skip
"""007/00."""

MATERIAL_DESIGNATION = {
    "a": {
        "d": "atlas", "g": "diagram", "j": "map", "q": "model", "k": "profile", "r": "remote-sensing image",
        "s": "section", "y": "view",
    },
    "c": {
        "a": "tape cartridge", "b": "chip cartridge", "c": "computer optical disc cartridge", "f": "tape cassette",
        "h": "tape reel", "j": "magnetic disc", "m": "magneto-optical disc", "o": "optical disc", "r": "remote",
    },
    "d": {
        "a": "celestial globe", "b": "planetary or lunar globe", "c": "terrestrial globe", "e": "earth moon globe",
    },
    "f": {"a": "moon", "b": "combination", "c": "braille", "d": "tactile, with no writing system"},
    "g": {
        "c": "filmstrip cartridge", "d": "filmslip", "f": "other filmstrip type", "o": "filmstrip roll",
        "s": "slide", "t": "transparency",
    },
    "h": {
        "a": "aperture card", "b": "microfilm cartridge", "c": "microfilm cassette", "d": "microfilm reel",
        "e": "microfiche", "f": "microfiche cassette", "g": "microopaque",
    },
    "k": {
        "c": "collage", "d": "drawing", "e": "painting", "f": "photomechanical print", "g": "photonegative",
        "h": "photoprint", "i": "picture", "j": "print", "l": "technical drawing", "n": "chart", "o": "flash card",
    },
    "m": {"c": "film cartridge", "f": "film cassette", "r": "film reel"},
    "o": {"o": "kit"},
    "q": {"q": "notated music"},
    "r": {"r": "remote-sensing image"},
    "s": {
        "d": "sound disc", "e": "cylinder", "g": "sound cartridge", "i": "sound-track film", "q": "roll",
        "s": "sound cassette", "t": "sound-tape reel", "w": "wire recording",
    },
    "t": {"a": "regular print", "b": "large print", "c": "braille", "d": "text in looseleaf binder"},
    "v": {"c": "videocartridge", "d": "videodisc", "f": "videocassette", "r": "videoreel"},
}  # fmt: skip
"""007/01 by 007/00."""

PUBLISHER_NUMBER = {
    "0": "issue number", "1": "matrix number", "2": "music plate", "3": "music publisher",
    "4": "videorecording identifier",
}  # fmt: skip
"""First indicator of 028; of 071 of UNIMARC."""

SUBJECT_AUTHORITY = {"0": "lcsh", "1": "lcshac", "2": "mesh", "3": "nal", "5": "csh", "6": "rvm"}
"""Second indicator of 6XX; 7: the authority is in ``$2``."""
