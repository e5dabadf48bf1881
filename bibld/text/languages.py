"""Languages: their codes, their tags (BCP 47), and the scripts they are written in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Literal

from bibld.text.scripts import CJK, LATIN, SCRIPTS

_OTHER_SHORT_CODES = {"bih": "bh", "tgl": "tl", "twi": "tw"}
"""Where Babel has the code of a language that this one belongs to."""

_CODES_IN_ORDER = """
aar abk ace ach ada ady afa afh afr ain aka akk alb ale alg alt amh ang anp apa ara arc arg arm arn arp art arw asm
ast ath aus ava ave awa aym aze bad bai bak bal bam ban baq bas bat bej bel bem ben ber bho bih bik bin bis bla bnt
bos bra bre btk bua bug bul bur byn cad cai car cat cau ceb cel cha chb che chg chi chk chm chn cho chp chr chu chv
chy cmc cnr cop cor cos cpe cpf cpp cre crh crp csb cus cze dak dan dar day del den dgr din div doi dra dsb dua dum
dut dyu dzo efi egy eka elx eng enm epo est ewe ewo fan fao fat fij fil fin fiu fon fre frm fro frr frs fry ful fur
gaa gay gba gem geo ger gez gil gla gle glg glv gmh goh gon gor got grb grc gre grn gsw guj gwi hai hat hau haw heb
her hil him hin hit hmn hmo hrv hsb hun hup iba ibo ice ido iii ijo iku ile ilo ina inc ind ine inh ipk ira iro ita
jav jbo jpn jpr jrb kaa kab kac kal kam kan kar kas kau kaw kaz kbd kha khi khm kho kik kin kir kmb kok kom kon kor
kos kpe krc krl kro kru kua kum kur kut lad lah lam lao lat lav lez lim lin lit lol loz ltz lua lub lug lui lun luo
lus mac mad mag mah mai mak mal man mao map mar mas may mdf mdr men mga mic min mis mkh mlg mlt mnc mni mno moh mon
mos mul mun mus mwl mwr myn myv nah nai nap nau nav nbl nde ndo nds nep new nia nic niu nno nob nog non nor nqo nso
nub nwc nya nym nyn nyo nzi oci oji ori orm osa oss ota oto paa pag pal pam pan pap pau peo per phi phn pli pol pon
por pra pro pus que raj rap rar roa roh rom rum run rup rus sad sag sah sai sal sam san sas sat scn sco sel sem sga
sgn shn sid sin sio sit sla slo slv sma sme smi smj smn smo sms sna snd snk sog som son sot spa srd srn srp srr ssa
ssw suk sun sus sux swa swe syc syr tah tai tam tat tel tem ter tet tgk tgl tha tib tig tir tiv tkl tlh tli tmh tog
ton tpi tsi tsn tso tuk tum tup tur tut tvl twi tyv udm uga uig ukr umb und urd uzb vai ven vie vol vot wak wal war
was wel wen wln wol xal xho yao yap yid yor ypk zap zbl zen zgh zha znd zul zun zxx zza
"""
CODES = frozenset(_CODES_IN_ORDER.split())
"""The codes of ISO 639-2/B, which are those of MARC 21."""

OBSOLETE_CODES = {
    "ajm": "jrb", "cam": "khm", "esk": "ypk", "esp": "epo", "eth": "gez", "far": "fao", "fri": "fry", "gae": "gla",
    "gag": "glg", "gal": "orm", "gua": "grn", "int": "ina", "iri": "gle", "kus": "kos", "lan": "oci", "lap": "smi",
    "max": "glv", "mla": "mlg", "mol": "rum", "sao": "smo", "scc": "srp", "scr": "hrv", "sho": "sna", "snh": "sin",
    "sso": "sot", "swz": "ssw", "tag": "tgl", "taj": "tgk", "tar": "tat", "tru": "chk", "tsw": "tsn",
}  # fmt: skip
"""Codes that MARC 21 had earlier, and those that it has now."""

NO_LANGUAGES = frozenset(("und", "mul", "zxx", "mis"))
"""Codes that name no single language."""

_WITHOUT_SHORT_CODE = frozenset(("arc", "chm", "grc", "kbd", "krc", "sah", "syr", "udm"))
"""Languages without a code of ISO 639-1 whose script is taken for granted."""

_EAST_ASIAN = frozenset(("Hans", "Jpan", "Kore"))

_CODE_OF_NAME = {
    "english": "eng", "german": "ger", "french": "fre", "russian": "rus", "italian": "ita", "spanish": "spa",
    "portuguese": "por", "latin": "lat", "polish": "pol", "czech": "cze", "dutch": "dut", "swedish": "swe",
    "danish": "dan", "norwegian": "nor", "finnish": "fin", "hungarian": "hun", "romanian": "rum", "greek": "gre",
    "chinese": "chi", "japanese": "jpn", "arabic": "ara", "hebrew": "heb", "ukrainian": "ukr", "tatar": "tat",
    "deutsch": "ger", "français": "fre", "italiano": "ita", "español": "spa",
    "русский": "rus", "рус": "rus", "английский": "eng", "англ": "eng", "немецкий": "ger", "нем": "ger",
    "французский": "fre", "франц": "fre", "фр": "fre", "украинский": "ukr", "укр": "ukr", "белорусский": "bel",
    "белорус": "bel", "татарский": "tat", "тат": "tat", "казахский": "kaz", "каз": "kaz", "итальянский": "ita",
    "итал": "ita", "испанский": "spa", "исп": "spa", "латинский": "lat", "лат": "lat", "польский": "pol",
    "польск": "pol", "китайский": "chi", "кит": "chi", "японский": "jpn", "яп": "jpn", "армянский": "arm",
    "грузинский": "geo", "башкирский": "bak", "чувашский": "chv", "церковнославянский": "chu",
}  # fmt: skip
"""Names of languages (English, Russian, also abbreviated, some in the language itself) → codes of ISO 639-2/B."""

_ENDING = re.compile(r"(?:о|ий|ая|ое|ого|ий|isch|ischer|isches)$")
_MIN_STEM_LETTERS = 4
_BETWEEN_CODES = re.compile(r"[\s,;/+]+")
_CODE = re.compile(r"[a-z]{2,3}")
_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?")


@lru_cache(maxsize=1024)
def language_code(text: str) -> str | None:
    """Return the code of ISO 639-2/B for a code or tag of a language, or for its name; None if it is not known.

    >>> [language_code(text) for text in ("rus", "fra", "scr", "zh-Hant", "de", "англ.", "xxx")]
    ['rus', 'fre', 'hrv', 'chi', 'ger', 'eng', None]
    """
    code = text.strip(" .|#").lower().partition("-")[0]
    code = OBSOLETE_CODES.get(code, code)
    if code in CODES:
        return code
    if _CODE.fullmatch(code):
        known = _codes_of_short_codes().get(_short_code(code))
        if known is not None:
            return known
    return code_of_language_name(text)


def language_codes(text: str) -> list[str]:
    """Return the codes of the languages in a text, also written without anything between them; none if one is unknown.

    >>> language_codes("engfre"), language_codes("рус., англ."), language_codes("rusxx")
    (['eng', 'fre'], ['rus', 'eng'], [])
    """
    code = language_code(text)
    if code is not None:
        return [code]
    pieces = _BETWEEN_CODES.split(text.strip(" .|#"))
    if all(len(piece) % 3 == 0 and not language_code(piece) for piece in pieces):
        pieces = [piece[start : start + 3] for piece in pieces for start in range(0, len(piece), 3)]
    codes = [language_code(piece) for piece in pieces]
    return [code for code in codes if code is not None] if all(codes) else []


@lru_cache(maxsize=1024)
def language_tag(code: str) -> str | None:
    """Return the tag of a language given as a code of ISO 639 or as a tag; None if it names no single language.

    >>> language_tag("rus"), language_tag("scr"), language_tag("sr-Latn"), language_tag("mul"), language_tag("Russian")
    ('ru', 'hr', 'sr-Latn', None, None)
    """
    text = code.strip()
    lower = text.lower()
    if _CODE.fullmatch(lower):
        return None if lower in NO_LANGUAGES else _short_code(OBSOLETE_CODES.get(lower, lower))
    return text if _TAG.fullmatch(text) else None


def code_of_language_stem(word: str) -> str | None:
    """Return the code of the language whose name begins as a word does before its ending; None if there is none.

    >>> code_of_language_stem("немецко"), code_of_language_stem("русская"), code_of_language_stem("Мамин")
    ('ger', 'rus', None)
    """
    stem = _ENDING.sub("", word.casefold())
    if len(stem) < _MIN_STEM_LETTERS:
        return None
    return next((code for name, code in _CODE_OF_NAME.items() if name.startswith(stem)), None)


def code_of_language_name(name: str) -> str | None:
    """Return the code of ISO 639-2/B for the name of a language; None if the name is not known.

    >>> code_of_language_name("English"), code_of_language_name("англ."), code_of_language_name("eng")
    ('eng', 'eng', None)
    """
    return _CODE_OF_NAME.get(name.strip(" .").casefold())


@lru_cache(maxsize=1024)
def usual_script(language: str) -> str:
    """Return the script that a language is usually written in, by its code or tag; Latin if nothing else is known.

    >>> usual_script("rus"), usual_script("el"), usual_script("jpn"), usual_script("eng")
    ('Cyrl', 'Grek', 'CJK', 'Latn')
    """
    tag = _short_code(language)
    if len(tag) != 2 and tag not in _WITHOUT_SHORT_CODE:
        return LATIN
    if tag == "arc":  # Babel has its script of antiquity
        return "Hebr"
    script = _babel("likely_subtags").get(tag, "").partition("_")[2][:4]
    if script in _EAST_ASIAN:
        return CJK
    return script if script in SCRIPTS else LATIN


def _short_code(code: str) -> str:
    """Return the code of ISO 639-1, which BCP 47 prefers, for one of ISO 639-2 or 639-3; else the code itself."""
    short = _OTHER_SHORT_CODES.get(code) or _babel("language_aliases").get(code, "")
    return short if len(short) == 2 and len(code) == 3 else code


@cache
def _codes_of_short_codes() -> Mapping[str, str]:
    return {_short_code(code): code for code in CODES}


@cache
def _babel(table: Literal["language_aliases", "likely_subtags"]) -> Mapping[str, str]:
    """Return a table of Babel, which is imported by those who need it, since that takes 20 ms."""
    from babel.core import get_global

    return get_global(table)
