"""Languages: their codes, their tags (BCP 47), and the scripts they are written in."""

from __future__ import annotations

import re

from bibld.text.scripts import CJK, CYRILLIC, LATIN

_ISO_639 = """
aar aa, abk ab, afr af, aka ak, alb sq, amh am, ara ar, arg an, arm hy, asm as, ava av, ave ae, aym ay, aze az,
bak ba, bam bm, baq eu, bel be, ben bn, bih bh, bis bi, bod bo, bos bs, bre br, bul bg, bur my, cat ca, ces cs,
cha ch, che ce, chi zh, chu cu, chv cv, cor kw, cos co, cre cr, cym cy, cze cs, dan da, deu de, div dv, dut nl,
dzo dz, ell el, eng en, epo eo, est et, eus eu, ewe ee, fao fo, fas fa, fij fj, fin fi, fra fr, fre fr, fry fy,
ful ff, geo ka, ger de, gla gd, gle ga, glg gl, glv gv, gre el, grn gn, guj gu, hat ht, hau ha, heb he, her hz,
hin hi, hmo ho, hrv hr, hun hu, hye hy, ibo ig, ice is, ido io, iii ii, iku iu, ile ie, ina ia, ind id, ipk ik,
isl is, ita it, jav jv, jpn ja, kal kl, kan kn, kas ks, kat ka, kau kr, kaz kk, khm km, kik ki, kin rw, kir ky,
kom kv, kon kg, kor ko, kua kj, kur ku, lao lo, lat la, lav lv, lim li, lin ln, lit lt, ltz lb, lub lu, lug lg,
mac mk, mah mh, mal ml, mao mi, mar mr, may ms, mkd mk, mlg mg, mlt mt, mon mn, mri mi, msa ms, mya my, nau na,
nav nv, nbl nr, nde nd, ndo ng, nep ne, nld nl, nno nn, nob nb, nor no, nya ny, oci oc, oji oj, ori or, orm om,
oss os, pan pa, per fa, pli pi, pol pl, por pt, pus ps, que qu, roh rm, ron ro, rum ro, run rn, rus ru, sag sg,
san sa, sin si, slk sk, slo sk, slv sl, sme se, smo sm, sna sn, snd sd, som so, sot st, spa es, sqi sq, srd sc,
srp sr, ssw ss, sun su, swa sw, swe sv, tah ty, tam ta, tat tt, tel te, tgk tg, tgl tl, tha th, tib bo, tir ti,
ton to, tsn tn, tso ts, tuk tk, tur tr, twi tw, uig ug, ukr uk, urd ur, uzb uz, ven ve, vie vi, vol vo, wel cy,
wln wa, wol wo, xho xh, yid yi, yor yo, zha za, zho zh, zul zu, scr hr, scc sr
"""

_SHORT_CODES: dict[str, str] = dict(pair.split() for pair in _ISO_639.split(","))
"""ISO 639-2 (bibliographic and terminological) → ISO 639-1, which BCP 47 prefers."""

NO_LANGUAGES = frozenset(("und", "mul", "zxx", "mis"))
"""Codes that name no single language."""

_LANGUAGES_OF_SCRIPT = {
    CYRILLIC: "ab av ba be bg ce chm cu cv kbd kk krc kv ky mk mn os ru sah sr tg tt udm uk",
    "Arab": "ar fa ks ps sd ug ur",
    "Hebr": "arc he yi",
    "Deva": "hi mr ne sa",
    CJK: "ja ko zh",
    "Grek": "el grc",
    "Beng": "as bn",
    "Ethi": "am ti",
    "Tibt": "bo dz",
    "Armn": "hy",
    "Geor": "ka",
    "Thai": "th",
    "Taml": "ta",
    "Telu": "te",
    "Gujr": "gu",
    "Guru": "pa",
    "Knda": "kn",
    "Mlym": "ml",
    "Mymr": "my",
    "Khmr": "km",
    "Laoo": "lo",
    "Orya": "or",
    "Sinh": "si",
    "Syrc": "syr",
}

_SCRIPTS = {tag: script for script, tags in _LANGUAGES_OF_SCRIPT.items() for tag in tags.split()}

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

_CODE = re.compile(r"[a-z]{2,3}")
_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?")


def language_tag(code: str) -> str | None:
    """Return the tag of a language given as a code of ISO 639 or as a tag; None if it names no single language.

    >>> language_tag("rus"), language_tag("scr"), language_tag("sr-Latn"), language_tag("mul"), language_tag("Russian")
    ('ru', 'hr', 'sr-Latn', None, None)
    """
    text = code.strip()
    lower = text.lower()
    if _CODE.fullmatch(lower):
        return None if lower in NO_LANGUAGES else _SHORT_CODES.get(lower, lower)
    return text if _TAG.fullmatch(text) else None


def code_of_language_name(name: str) -> str | None:
    """Return the code of ISO 639-2/B for the name of a language; None if the name is not known.

    >>> code_of_language_name("English"), code_of_language_name("англ."), code_of_language_name("eng")
    ('eng', 'eng', None)
    """
    return _CODE_OF_NAME.get(name.strip(" .").casefold())


def usual_script(language: str) -> str:
    """Return the script that a language is usually written in, by its code or tag; Latin if nothing else is known.

    >>> usual_script("rus"), usual_script("el"), usual_script("jpn"), usual_script("eng")
    ('Cyrl', 'Grek', 'CJK', 'Latn')
    """
    return _SCRIPTS.get(_SHORT_CODES.get(language, language), LATIN)
