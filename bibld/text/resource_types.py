"""Types of content, media and carriers (RDA 3 and 6.9), genres and characteristics of MARC 21: terms and codes.

The codes are those of id.loc.gov: ``contentTypes``, ``mediaTypes``, ``carriers``, ``marcgt`` … Records state a code,
or a term in English, Russian or German.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

CONTENT_TYPES = {
    "cod": ("computer dataset", "компьютерный набор данных", "Computerdaten"),
    "cop": ("computer program", "компьютерная программа", "Computerprogramm"),
    "crd": ("cartographic dataset", "картографический набор данных", "kartografischer Datensatz"),
    "crf": ("cartographic three-dimensional form", "картографическая трехмерная форма",
            "kartografische dreidimensionale Form"),
    "cri": ("cartographic image", "картографическое изображение", "kartografisches Bild"),
    "crm": ("cartographic moving image", "картографическое движущееся изображение", "kartografisches Bewegtbild"),
    "crn": ("cartographic tactile three-dimensional form", "картографическая тактильная трехмерная форма",
            "kartografische taktile dreidimensionale Form"),
    "crt": ("cartographic tactile image", "картографическое тактильное изображение", "kartografisches taktiles Bild"),
    "ntm": ("notated music", "нотная музыка", "Noten", "music (notated)", "музыка (знаковая)"),
    "ntv": ("notated movement", "нотированное движение", "Bewegungsnotation"),
    "prm": ("performed music", "исполняемая музыка", "aufgeführte Musik", "music (performed)",
            "музыка (исполнительская)"),
    "snd": ("sounds", "звуки", "Geräusche"),
    "spw": ("spoken word", "устная речь", "gesprochenes Wort"),
    "sti": ("still image", "неподвижное изображение", "unbewegtes Bild"),
    "tcf": ("tactile three-dimensional form", "тактильная трехмерная форма", "taktile dreidimensionale Form"),
    "tci": ("tactile image", "тактильное изображение", "taktiles Bild"),
    "tcm": ("tactile notated music", "тактильная нотная музыка", "taktile Noten"),
    "tcn": ("tactile notated movement", "тактильное нотированное движение", "taktile Bewegungsnotation"),
    "tct": ("tactile text", "тактильный текст", "taktiler Text"),
    "tdf": ("three-dimensional form", "трехмерная форма", "dreidimensionale Form"),
    "tdi": ("two-dimensional moving image", "двухмерное движущееся изображение", "zweidimensionales bewegtes Bild"),
    "tdm": ("three-dimensional moving image", "трехмерное движущееся изображение", "dreidimensionales bewegtes Bild"),
    "txt": ("text", "текст", "Text"),
    "xxx": ("other", "другой тип содержания", "Sonstige"),
    "zzz": ("unspecified", "неопределенный тип содержания", "nicht spezifiziert"),
}  # fmt: skip

MEDIA_TYPES = {
    "c": ("computer", "компьютерный", "Computermedien", "электронный", "electronic"),
    "e": ("stereographic", "стереографический", "stereografisch"),
    "g": ("projected", "проекционный", "projizierbar"),
    "h": ("microform", "микроформа", "Mikroform"),
    "n": ("unmediated", "непосредственный", "ohne Hilfsmittel zu benutzen", "неопосредованный"),
    "p": ("microscopic", "микроскопический", "mikroskopisch"),
    "s": ("audio", "аудио", "audio"),
    "v": ("video", "видео", "video"),
    "x": ("other", "другой тип средства", "Sonstige"),
    "z": ("unspecified", "неопределенный тип средства", "nicht spezifiziert"),
}

CARRIER_TYPES = {
    "ca": ("computer tape cartridge", "картридж с компьютерной лентой", "Computerbandcartridge"),
    "cb": ("computer chip cartridge", "картридж с компьютерным чипом", "Computerchip-Cartridge"),
    "cd": ("computer disc", "компьютерный диск", "Computerdisk"),
    "ce": ("computer disc cartridge", "картридж с компьютерным диском", "Computerdisk-Cartridge"),
    "cf": ("computer tape cassette", "кассета с компьютерной лентой", "Computerbandkassette"),
    "ch": ("computer tape reel", "бобина с компьютерной лентой", "Computerbandspule"),
    "ck": ("computer card", "компьютерная карта", "Computerkarte"),
    "cr": ("online resource", "онлайновый ресурс", "Online-Ressource", "онлайн-ресурс"),
    "cz": ("other computer carrier",),
    "eh": ("stereograph card", "стереографическая карта", "Stereografie-Karte"),
    "es": ("stereograph disc", "стереографический диск", "Stereografie-Disk"),
    "ez": ("other stereographic carrier",),
    "gc": ("filmstrip cartridge", "картридж с диафильмом", "Filmstreifen-Cartridge"),
    "gd": ("filmslip", "короткий диафильм", "Filmstreifen für Einzelbildvorführung"),
    "gf": ("filmstrip", "диафильм", "Filmstreifen"),
    "gs": ("slide", "слайд", "Dia"),
    "gt": ("overhead transparency", "прозрачная пленка", "Overheadfolie"),
    "ha": ("aperture card", "апертурная карта", "Mikrofilmlochkarte"),
    "hb": ("microfilm cartridge", "картридж с микрофильмом", "Mikrofilm-Cartridge"),
    "hc": ("microfilm cassette", "кассета с микрофильмом", "Mikrofilmkassette"),
    "hd": ("microfilm reel", "бобина с микрофильмом", "Mikrofilmspule"),
    "he": ("microfiche", "микрофиша", "Mikrofiche"),
    "hf": ("microfiche cassette", "кассета с микрофишей", "Mikrofichekassette"),
    "hg": ("microopaque", "непрозрачная микроформа", "Mikrobild auf lichtundurchlässigem Material"),
    "hh": ("microfilm slip", "отрезок микрофильма", "Mikrofilmstreifen"),
    "hj": ("microfilm roll", "рулон микрофильма", "Mikrofilmrolle"),
    "hz": ("other microform carrier",),
    "mc": ("film cartridge", "картридж с кинопленкой", "Filmdose"),
    "mf": ("film cassette", "кассета с кинопленкой", "Filmkassette"),
    "mo": ("film roll", "рулон кинопленки", "Filmrolle"),
    "mr": ("film reel", "бобина с кинопленкой", "Filmspule"),
    "mz": ("other projected carrier",),
    "na": ("roll", "рулон", "Rolle"),
    "nb": ("sheet", "лист", "Blatt"),
    "nc": ("volume", "том", "Band"),
    "nn": ("flipchart", "флипчарт", "Flipchart"),
    "no": ("card", "карточка", "Karte"),
    "nr": ("object", "предмет", "Gegenstand"),
    "nz": ("other unmediated carrier",),
    "pp": ("microscope slide", "предметное стекло", "Objektträger"),
    "pz": ("other microscopic carrier",),
    "sd": ("audio disc", "аудиодиск", "Audiodisk"),
    "se": ("audio cylinder", "аудиоцилиндр", "Phonographenzylinder"),
    "sg": ("audio cartridge", "аудиокартридж", "Audiocartridge"),
    "si": ("sound track reel", "бобина со звуковой дорожкой", "Tonspurspule"),
    "sq": ("audio roll", "аудиорулон", "Notenrolle"),
    "ss": ("audiocassette", "аудиокассета", "Audiokassette"),
    "st": ("audiotape reel", "бобина с аудиолентой", "Tonbandspule"),
    "sz": ("other audio carrier",),
    "vc": ("video cartridge", "видеокартридж", "Videocartridge"),
    "vd": ("videodisc", "видеодиск", "Videodisk"),
    "vf": ("videocassette", "видеокассета", "Videokassette"),
    "vr": ("videotape reel", "бобина с видеолентой", "Videobandspule"),
    "vz": ("other video carrier",),
    "zu": ("unspecified", "неопределенный тип носителя", "nicht spezifiziert"),
}

_GENRES = """
abs abstract or summary; aro art original; arr art reproduction; art article; atl atlas; aut autobiography; bda
bibliographic data; bib bibliography; bio biography; boo book; cal calendar; cat catalog; cgn comic or graphic
novel|comic strip; cha chart; cod comedy; com computer program; cpb conference publication; dic dictionary; dio
diorama; dir directory; dis discography; doc document (computer); dra drama; dtb database; enc encyclopedia; ess
essay; fes festschrift; fic fiction; fil filmography; fin finding aid; fla flash card; fls filmstrip; fol folktale;
fon font; gam game; glo globe; gov government publication; gra graphic; han handbook; his history; hum humor,
satire; ind index; inm interactive multimedia; ins instruction; int interview; iss issue; jou journal; kit kit; lan
language instruction; law law report or digest; lea legal article; lec legal case and case notes; leg legislation;
let letter; loo loose-leaf; man manuscript; map map; mem memoir; mic microscope slide; mod model; mot motion
picture; new newspaper; nos nonmusical sound; nov novel; num numeric data; off offprint; ons online system or
service; pat patent; per periodical; pic picture; pla playing cards; poe poetry; pos postcard; pro programmed text;
puz puzzle; rea realia; reh rehearsal; rem remote sensing image|remote-sensing image; rep representational; rev
review; rpt reporting; scr script; ser series; sho short story; sli slide; sou sound; spe speech; sta statistics;
stp standard or specification|standard; sur survey of literature; ted technical drawing; ter technical report; the
thesis|theses; toy toy; tra transparency; tre treaty; vid videorecording; wal wall map; web web site; yea yearbook
"""

_CHARACTERISTICS = {
    "mcolor": """
blw black and white|monochrome|monocolour; gry gray scale|grey scale; hnd hand colored|hand coloured|hand-colored; mix
mixed color|mixed colour; mul color|colour|multicolored|multicoloured|polychrome; one one color|one colour
""",
    "mrectype": "analog analog|analogue; digital digital",
    "mrecmedium": "mag magnetic; opt optical; magopt magneto-optical",
    "mplayspeed": """
a 16 rpm; b 33 1/3 rpm; c 45 rpm; d 78 rpm; e 8 rpm; f 1.4 m. per sec|1.4 m/s; h 120 rpm; i 160 rpm; k 15/16 ips; l
1 7/8 ips; m 3 3/4 ips; o 7 1/2 ips; p 15 ips; r 30 ips
""",
    "mplayback": "mon mono|monaural; ste stereo|stereophonic; mul surround|multichannel|quadraphonic; mix mixed",
    "msoundcontent": "silent silent; sound sound",
    "mfiletype": "audio audio file; data data file; image image file; program program file; text text file",
    "mencformat": """
avi AVI file|AVI; bluray Blu-ray|Blu-ray Disc; cda CD audio|audio CD; dvda DVD audio; dvdrv DVD-R video; dvdv DVD
video; excel Excel file|Excel; gif GIF image|GIF; html HTML file|HTML; jpeg JPEG image|JPEG; mp3 MP3 audio|MP3; mp4
MP4 video|MPEG-4; pdf PDF file|PDF; png PNG image|PNG; qtime QuickTime file|QuickTime; sacd SACD audio|SACD; tiff TIFF
image|TIFF
""",
    "millus": """
ill illustrations|illustration; map maps|map; por portraits|portrait; chr charts|chart; pln plans|plan; plt
plates|plate; mus music; fac facsimiles|facsimile; coa coats of arms; gnt genealogical tables; for forms; sam
samples|sample; pho phonodisc; pht photographs|photograph; ilm illuminations|illumination
""",
    "msupplcont": "bibliography bibliography; discography discography; film filmography",
    "mmusicformat": """
score score; studyscore study score; pianoscore piano score; vocalscore vocal score; conscore condensed score; chscore
chorus score
""",
}
"""Lists at id.loc.gov of characteristics (340 to 353 of MARC 21), as far as their codes were found in use."""


def _terms_by_code(pairs: str) -> dict[str, tuple[str, ...]]:
    """Read pairs of a code and its terms, which semicolons divide."""
    parts = (pair.partition(" ") for pair in " ".join(pairs.split()).split("; "))
    return {code: tuple(terms.split("|")) for code, _, terms in parts}


GENRES = _terms_by_code(_GENRES)
"""The terms of MARC 21 for genres; the first is that of id.loc.gov."""

LISTS = {
    "contentTypes": CONTENT_TYPES,
    "mediaTypes": MEDIA_TYPES,
    "carriers": CARRIER_TYPES,
    "marcgt": GENRES,
    **{name: _terms_by_code(pairs) for name, pairs in _CHARACTERISTICS.items()},
}
"""Name of the list at id.loc.gov → code → terms: English, then Russian, German and further ones."""

_CODE = re.compile(r"[a-z0-9]+")
_ADDITION = re.compile(r"\s*\([^()]*\)\s*\Z")
_END = " .,;:[]"


def type_code(name: str, text: str) -> str | None:
    """Return the code of a code or term in one of ``LISTS``, such as ``txt`` for "Текст (визуальный)"; None without.

    Raises ``KeyError`` for a list that does not exist.
    """
    codes = _codes(name)
    folded = _fold(text)
    return codes.get(folded) or codes.get(_fold(_ADDITION.sub("", text)))


def code_iri(name: str, code: str) -> str | None:
    """Return the term at id.loc.gov for a code that a record states of a list; None for a text that is no code."""
    return f"http://id.loc.gov/vocabulary/{name}/{code}" if _CODE.fullmatch(code) else None


@cache
def _codes(name: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for code, terms in LISTS[name].items():
        for term in (code, *terms):
            found.setdefault(_fold(term), code)
    return found


def _fold(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip(_END).casefold().replace("ё", "е")
