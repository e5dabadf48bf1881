"""Code lists, as tables: languages, scripts, relators, kinds of resources and identifiers."""

from __future__ import annotations

from bibld.model.rdf import iri

EDTF = "http://id.loc.gov/datatypes/edtf"
"""The datatype of dates that are not XSD dates, such as ranges."""


def loc(scheme: str, code: str) -> str:
    """Return the term for a code of a code list of the Library of Congress."""
    return iri(f"http://id.loc.gov/vocabulary/{scheme}/{code}")


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

SHORT_LANGUAGES: dict[str, str] = dict(pair.split() for pair in _ISO_639.split(","))
"""ISO 639-2 (bibliographic and terminological) → ISO 639-1, which BCP 47 prefers."""

NO_LANGUAGES = frozenset(("und", "mul", "zxx", "mis"))
"""Codes that name no single language."""

_CYRILLIC = "ab av ba be bg ce chm cu cv kbd kk krc kv ky mk mn os ru sah sr tg tt udm uk"

SCRIPT_OF_LANGUAGE = {
    **dict.fromkeys(_CYRILLIC.split(), "Cyrl"),
    **dict.fromkeys(["ar", "fa", "ps", "ur", "ug", "sd", "ks"], "Arab"),
    **dict.fromkeys(["he", "yi"], "Hebr"),
    **dict.fromkeys(["hi", "mr", "ne", "sa"], "Deva"),
    **dict.fromkeys(["zh", "ja", "ko"], "CJK"),
    "el": "Grek",
    "grc": "Grek",
    "hy": "Armn",
    "ka": "Geor",
    "th": "Thai",
    "bn": "Beng",
    "am": "Ethi",
    "ti": "Ethi",
    "ta": "Taml",
    "te": "Telu",
    "gu": "Gujr",
    "pa": "Guru",
    "kn": "Knda",
    "ml": "Mlym",
    "bo": "Tibt",
    "my": "Mymr",
    "km": "Khmr",
    "lo": "Laoo",
    "si": "Sinh",
}
"""The script that goes without saying in a language; languages that are not here use the Latin one."""

SCRIPTS = (
    ("CYRILLIC", "Cyrl"),
    ("LATIN", "Latn"),
    ("GREEK", "Grek"),
    ("ARABIC", "Arab"),
    ("HEBREW", "Hebr"),
    ("CJK", "CJK"),
    ("HIRAGANA", "CJK"),
    ("KATAKANA", "CJK"),
    ("HANGUL", "CJK"),
    ("DEVANAGARI", "Deva"),
    ("ARMENIAN", "Armn"),
    ("GEORGIAN", "Geor"),
    ("THAI", "Thai"),
    ("BENGALI", "Beng"),
    ("ETHIOPIC", "Ethi"),
    ("TAMIL", "Taml"),
    ("TELUGU", "Telu"),
    ("GUJARATI", "Gujr"),
    ("GURMUKHI", "Guru"),
    ("KANNADA", "Knda"),
    ("MALAYALAM", "Mlym"),
    ("TIBETAN", "Tibt"),
    ("MYANMAR", "Mymr"),
    ("KHMER", "Khmr"),
    ("LAO", "Laoo"),
    ("SINHALA", "Sinh"),
)
"""How the Unicode names of a script's letters begin → its code; ``CJK`` stands for what needs no script in a tag."""

CREATOR_ROLES = frozenset(("aut", "cre", "art", "cmp", "ctg", "dis", "pht", "arc", "scl", "fmk"))
"""Roles that make an agent a ``dcterms:creator``."""

SCHEMA_OF_ROLE = {"aut": "author", "edt": "editor", "trl": "translator", "ill": "illustrator", "cmp": "composer"}
"""Roles that schema.org has a property for; others are ``schema:contributor``."""

CLASSES_OF_CONTENT = {
    "text": ("bibo:Document", "schema:CreativeWork"),
    "cartographic": ("bibo:Map", "schema:Map"),
    "notated music": ("bibo:Document", "schema:SheetMusic"),
    "sound recording": ("bibo:AudioDocument", "schema:AudioObject"),
    "sound recording-musical": ("bibo:AudioDocument", "schema:AudioObject"),
    "sound recording-nonmusical": ("bibo:AudioDocument", "schema:AudioObject"),
    "still image": ("bibo:Image", "schema:VisualArtwork"),
    "moving image": ("bibo:AudioVisualDocument", "schema:CreativeWork"),
    "mixed material": ("bibo:Collection", "schema:Collection"),
}
"""``typeOfResource`` → classes; others are ``bibo:Document`` and ``schema:CreativeWork``."""

ISSUANCES = {
    "monographic": "mono",
    "single unit": "mono",
    "multipart monograph": "mulm",
    "serial": "serl",
    "continuing": "serl",
    "integrating resource": "intg",
}
"""``issuance`` → code of https://id.loc.gov/vocabulary/issuance."""

CARRIERS = {"print": "bf:Print", "electronic": "bf:Electronic", "manuscript": "bf:Manuscript"}
"""``form`` → class of BIBFRAME's instances."""

CLASS_OF_IDENTIFIER = {
    "isbn": "bf:Isbn",
    "issn": "bf:Issn",
    "issn-l": "bf:IssnL",
    "lccn": "bf:Lccn",
    "oclc": "bf:OclcNumber",
    "doi": "bf:Doi",
    "hdl": "bf:Hdl",
    "urn": "bf:Urn",
    "isrc": "bf:Isrc",
    "ismn": "bf:Ismn",
    "istc": "bf:Istc",
    "isan": "bf:Isan",
    "upc": "bf:Upc",
    "ean": "bf:Ean",
    "sici": "bf:Sici",
    "nbn": "bf:Nbn",
    "coden": "bf:Coden",
    "strn": "bf:Strn",
    "local": "bf:Local",
    "issue number": "bf:AudioIssueNumber",
    "matrix number": "bf:MatrixNumber",
    "music plate": "bf:MusicPlate",
    "music publisher": "bf:MusicPublisherNumber",
    "videorecording identifier": "bf:VideoRecordingNumber",
    "stock number": "bf:StockNumber",
}
"""``identifier/@type`` → class of BIBFRAME; others are ``bf:Identifier``."""

NAME_OF_IDENTIFIER = {"legal deposit number": "legal deposit"}
"""``identifier/@type`` as some records have it → as it is published (``schema:propertyID``)."""

CLASS_OF_CLASSIFICATION = {
    "ddc": "bf:ClassificationDdc",
    "lcc": "bf:ClassificationLcc",
    "udc": "bf:ClassificationUdc",
    "nlm": "bf:ClassificationNlm",
}
"""``classification/@authority`` → class of BIBFRAME; others are ``bf:Classification``."""

CONCEPT_CLASSIFICATIONS = frozenset(("rubbk", "bbk", "lbc", "udc", "ddc", "rugasnti", "rueskl"))
"""Classifications whose marks name a subject and nothing else, so that each mark is a concept."""

EXTERNAL_SCHEMES = {
    "lcsh": "http://id.loc.gov/authorities/subjects",
    "lcshac": "http://id.loc.gov/authorities/childrensSubjects",
    "lcgft": "http://id.loc.gov/authorities/genreForms",
    "marcgt": "http://id.loc.gov/vocabulary/marcgt",
    "fast": "http://id.worldcat.org/fast/ontology/1.0/#fast",
    "mesh": "http://id.nlm.nih.gov/mesh",
    "aat": "http://vocab.getty.edu/aat/",
}
"""Schemes of subjects → the IRI that others know them by."""

_ENGLISH_SCHEMES = "aat fast lcgft lcsh lcshac marcgt marcmuscomp marctarget mesh nal rdacontent"

SCHEME_LANGUAGES = {
    **dict.fromkeys(_ENGLISH_SCHEMES.split(), "en"),
    "nlr-sh": "ru",
    "ram": "fr",
    "rvm": "fr",
    "gnd": "de",
}
"""Schemes of subjects that have one language."""

CLASS_OF_EVENT = {
    "publication": "bf:Publication",
    "publisher": "bf:Publication",
    "production": "bf:Production",
    "producer": "bf:Production",
    "distribution": "bf:Distribution",
    "distributor": "bf:Distribution",
    "manufacture": "bf:Manufacture",
    "manufacturer": "bf:Manufacture",
}
"""``originInfo/@eventType`` → class of BIBFRAME; without one it is a publication."""

STATEMENT_OF_EVENT = {
    "bf:Publication": "bf:publicationStatement",
    "bf:Production": "bf:productionStatement",
    "bf:Distribution": "bf:distributionStatement",
    "bf:Manufacture": "bf:manufactureStatement",
}
"""Class of a provision activity → the property that holds its wording."""

RELATIONS = {
    "host": "dcterms:isPartOf",
    "series": "dcterms:isPartOf",
    "constituent": "dcterms:hasPart",
    "preceding": "dcterms:replaces",
    "succeeding": "dcterms:isReplacedBy",
    "original": "dcterms:isVersionOf",
    "otherVersion": "dcterms:hasVersion",
    "otherFormat": "dcterms:hasFormat",
    "isReferencedBy": "dcterms:isReferencedBy",
    "references": "dcterms:references",
    "reviewOf": "schema:itemReviewed",
}
"""``relatedItem/@type`` → property; others are ``dcterms:relation``."""

UNNAMED = frozenset(
    (
        "б м",
        "б и",
        "б г",
        "s l",
        "s n",
        "sine loco",
        "sine nomine",
        "place of publication not identified",
        "publisher not identified",
        "without place",
        "место издания не указано",
        "издательство не указано",
    )
)
"""What stands where a place or publisher is not known (letters only, lower case)."""
