"""Places as catalogues write them: abbreviated, in many languages, with a state, as codes of countries, or unknown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from bibld.text.folding import fold, strip_brackets
from bibld.text.romanisation import romanise
from bibld.text.scripts import has_cyrillic

_TEXTS_REMEMBERED = 16_384
_ABBREVIATIONS = {
    "м": "Москва", "мск": "Москва", "л": "Ленинград", "лгр": "Ленинград", "спб": "Санкт-Петербург",
    "с.-пб": "Санкт-Петербург", "с.-петербург": "Санкт-Петербург", "пб": "Петербург", "пг": "Петроград",
    "птгр": "Петроград", "к": "Киев", "мн": "Минск", "х": "Харьков", "харьк": "Харьков", "тб": "Тбилиси",
    "ер": "Ереван", "таш": "Ташкент", "а.-а": "Алма-Ата", "душ": "Душанбе", "аш": "Ашхабад", "киш": "Кишинев",
    "новосиб": "Новосибирск", "екатеринб": "Екатеринбург", "свердл": "Свердловск", "краснояр": "Красноярск",
    "владив": "Владивосток", "ярослав": "Ярославль", "волгогр": "Волгоград", "калинингр": "Калининград",
    "н. новгород": "Нижний Новгород", "н.новгород": "Нижний Новгород", "нижн. новгород": "Нижний Новгород",
    "ростов н/д": "Ростов-на-Дону", "ростов н/дону": "Ростов-на-Дону", "ростов-н/д": "Ростов-на-Дону",
    "ростов-н/дону": "Ростов-на-Дону", "в. новгород": "Великий Новгород", "с. петербург": "Санкт-Петербург",
    "ст.-петербург": "Санкт-Петербург", "санктпетербург": "Санкт-Петербург", "санкт петербург": "Санкт-Петербург",
    "санкт-петербург": "Санкт-Петербург", "москва": "Москва", "киев": "Киев", "харьков": "Харьков",
    "варшава": "Варшава", "казань": "Казань", "одесса": "Одесса", "spb": "Sankt-Peterburg",
    "frankfurt, m": "Frankfurt am Main", "frankfurt/m": "Frankfurt am Main", "frankfurt a.m": "Frankfurt am Main",
    "frankfurt a. m": "Frankfurt am Main", "frankfurt a/m": "Frankfurt am Main", "frankfurt/main": "Frankfurt am Main",
    "reinbek b. hamburg": "Reinbek bei Hamburg",
}  # fmt: skip
"""Places of publication as Russian (GOST 7.12) and German catalogues shorten them, lower case without the last full
stop; their full names are published."""

_ABBREVIATIONS_COMPARED = {
    "м": "москва", "мск": "москва", "л": "ленинград", "лнгр": "ленинград", "спб": "санкт петербург", "пб": "петроград",
    "с пб": "санкт петербург", "с петербург": "санкт петербург", "пг": "петроград", "птгр": "петроград", "к": "киев",
    "х": "харьков", "н новгород": "нижний новгород",
    "ростов н д": "ростов на дону", "н й": "нью йорк", "n y": "new york", "new york n y": "new york",
    "ny": "new york", "phila": "philadelphia", "wash": "washington", "washington d c": "washington",
    "lond": "london", "leipz": "leipzig", "spb": "санкт петербург", "petersburg": "петербург",
}  # fmt: skip
"""Places as the catalogues that are matched shorten them, folded. Unlike what is published, a guess is allowed here:
``Пб.`` is taken for Petrograd, where it was printed most."""

_OTHER_NAMES = {
    "new york": "нью йорк", "київ": "киев", "kyiv": "киев", "львів": "львов", "lviv": "львов", "lwow": "львов",
    "lemberg": "львов", "харків": "харьков", "одеса": "одесса", "вільня": "вильнюс", "вильна": "вильнюс",
    "wilno": "вильнюс", "мн": "минск", "menesk": "минск", "paris": "париж", "leipzig": "лейпциг", "wien": "вена",
    "vienna": "вена", "praha": "прага", "prag": "прага", "prague": "прага", "warszawa": "варшава", "warsaw": "варшава",
    "krakow": "краков", "roma": "рим", "rome": "рим", "geneve": "женева", "geneva": "женева", "genf": "женева",
    "munchen": "мюнхен", "munich": "мюнхен", "zurich": "цюрих", "jerusalem": "иерусалим", "moscow": "москва",
    "moskau": "москва", "st petersburg": "санкт петербург", "saint petersburg": "санкт петербург",
    "petrograd": "петроград", "tiflis": "тбилиси", "тифлис": "тбилиси", "қазан": "казань", "алматы": "алма ата",
}  # fmt: skip
"""Towns of which catalogues in other languages have another name → the name in Russian, folded."""
_BETWEEN_PLACES = re.compile(r"\s*(?:;|/|(?<=\b[МЛ]\.)\s?[-–—,](?=\s?[МЛ]\.))\s*")
_AND_OTHERS = re.compile(r" (?:и др|i dr|etc|u a|usw|et al)$")
_MODERN_LETTERS = str.maketrans("ѣіѳѵ", "еифи")
_OLD_ENDING = re.compile(r"(?<=[^\W\d_])ъ\b")
_STRAY_DIGIT = re.compile(r"(?<=[а-я])\d$")
_PREPOSITION = re.compile(r"во? ")
_PLACES_IN_LOCATIVE = {
    "москве": "Москва", "санктпетербурге": "Санкт-Петербург", "санкт-петербурге": "Санкт-Петербург",
    "с.-петербурге": "Санкт-Петербург", "спб": "Санкт-Петербург", "петербурге": "Петербург", "петрограде": "Петроград",
    "ленинграде": "Ленинград", "киеве": "Киев", "казани": "Казань", "харькове": "Харьков", "одессе": "Одесса",
    "варшаве": "Варшава", "вильне": "Вильна", "риге": "Рига", "ревеле": "Ревель", "дерпте": "Дерпт",
    "юрьеве": "Юрьев", "тифлисе": "Тифлис", "саратове": "Саратов", "ярославле": "Ярославль", "томске": "Томск",
    "нижнем новгороде": "Нижний Новгород", "новгороде": "Новгород", "воронеже": "Воронеж", "минске": "Минск",
    "париже": "Париж", "лейпциге": "Лейпциг", "берлине": "Берлин", "лондоне": "Лондон", "женеве": "Женева",
}  # fmt: skip
"""Towns in the locative, as old title pages name the place of printing after ``в`` → their names."""

_FORMER_NAMES = frozenset((
    "ленинград", "leningrad", "петроград", "petrograd", "сталинград", "stalingrad", "царицын", "горький", "gorkii",
    "gorki", "gorky", "свердловск", "sverdlovsk", "куйбышев", "kuibyshev", "калинин", "kalinin", "молотов", "фрунзе",
    "frunze", "тифлис", "tiflis", "ревель", "reval", "дерпт", "dorpat", "юрьев", "вильна", "wilna", "wilno",
    "константинополь", "constantinople", "konstantinopel", "кенигсберг", "konigsberg", "данциг", "danzig", "бреслау",
    "breslau", "христиания", "christiania", "kristiania", "екатеринослав", "верный", "алма ата", "alma ata",
    "целиноград", "bombay", "calcutta", "madras", "saigon", "edo", "karl marx stadt", "peking",
))  # fmt: skip
"""Names that towns had once, folded."""


def is_former_name(text: str) -> bool:
    """Whether a text is a name that a town had once and has no more.

    >>> is_former_name("Ленинград"), is_former_name("Санкт-Петербург")
    (True, False)
    """
    return fold(text) in _FORMER_NAMES


ABBREVIATION_OF_PLACE = {
    "Москва": "М.", "Ленинград": "Л.", "Санкт-Петербург": "СПб.", "Петроград": "Пг.", "Киев": "К.",
    "Нижний Новгород": "Н. Новгород", "New York": "N.Y.", "Philadelphia": "Phila.", "Washington": "Wash.",
}  # fmt: skip
"""Full names of towns → the abbreviation that is used most."""

_UNKNOWN = re.compile(
    "б м|б и|б г|s l|s n|n p|sine loco|sine nomine|place of publication not identified|publisher not identified|"
    "without place|место издания не указано|издательство не указано"
)
_NOT_LETTERS = re.compile(r"[\W\d_]+")

_MARC_OF_ISO = """
AD an, AE ts, AF af, AG aq, AI am, AL aa, AM ai, AN na, AO ao, AQ ay, AR ag, AS as, AT au, AU at, AW aw, AZ aj, BA bn,
BB bb, BD bg, BE be, BF uv, BG bu, BH ba, BI bd, BJ dm, BM bm, BN bx, BO bo, BR bl, BS bf, BT bt, BV bv, BW bs, BY bw,
BZ bh, CA xxc, CC xb, CD cg, CF cx, CG cf, CH sz, CI iv, CK cw, CL cl, CM cm, CN cc, CO ck, CR cr, CS cs, CU cu, CV cv,
CX xa, CY cy, CZ xr, DD ge, DE gw, DJ ft, DK dk, DM dq, DO dr, DZ ae, EC ec, EE er, EG ua, EH ss, ER ea, ES sp, ET et,
FI fi, FJ fj, FK fk, FM fm, FO fa, FR fr, GA go, GB xxk, GD gd, GE gs, GF fg, GH gh, GI gi, GL gl, GM gm, GN gv, GP gp,
GQ eg, GR gr, GS xs, GT gt, GU gu, GW pg, GY gy, HK cc, HM hm, HN ho, HR ci, HT ht, HU hu, ID io, IE ie, IL is, IN ii,
IO bi, IQ iq, IR ir, IS ic, IT it, JM jm, JO jo, JP ja, KE ke, KG kg, KH cb, KI gb, KM cq, KN xd, KP kn, KR ko, KW ku,
KY cj, KZ kz, LA ls, LB le, LC xk, LI lh, LK ce, LR lb, LS lo, LT li, LU lu, LV lv, LY ly, MA mr, MC mc, MD mv, ME mo,
MG mg, MH xe, MK xn, ML ml, MM br, MN mp, MO cc, MP nw, MQ mq, MR mu, MS mj, MT mm, MU mf, MV xc, MW mw, MX mx, MY my,
MZ mz, NA sx, NC nl, NE ng, NF nx, NG nr, NI nq, NL ne, NO no, NP np, NR nu, NU xh, NZ nz, OM mk, PA pn, PE pe, PF fp,
PG pp, PH ph, PK pk, PL pl, PM xl, PN pc, PR pr, PT po, PW pw, PY py, QA qa, RE re, RO rm, RS rb, RU ru, RW rw, SA su,
SB bp, SC se, SD sj, SE sw, SG si, SH xj, SI xv, SK xo, SL sl, SM sm, SN sg, SO so, SR sr, SS sd, ST sf, SU ur, SV es,
SY sy, SZ sq, TC tc, TD cd, TG tg, TH th, TJ ta, TK tl, TL em, TM tk, TN ti, TO to, TR tu, TT tr, TV tv, TW ch, TZ tz,
UA un, UG ug, UM uc, US xxu, UY uy, UZ uz, VA vc, VC xm, VE ve, VG vb, VI vi, VN vm, VU nn, WF wf, WS ws, XK kv, YE ye,
YT ot, YU yu, ZA sa, ZM za, ZW rh
"""

MARC_COUNTRY_OF_ISO: dict[str, str] = dict(pair.split() for pair in _MARC_OF_ISO.split(","))
"""ISO 3166-1 (two capital letters, states that are no more among them) → MARC code list for countries."""


def expand_place(text: str) -> str:
    """Return the full name of a town that is abbreviated, in brackets or not; any other text as it is.

    So are the forms of old title pages: in the orthography before 1918, and after the preposition ``in``. A digit that
    was typed behind an abbreviation is ignored.

    >>> expand_place("[М.]"), expand_place("М5."), expand_place("Ростов н/Д"), expand_place("Дубна")
    ('Москва', 'Москва', 'Ростов-на-Дону', 'Дубна')
    >>> expand_place("Въ Санктпетербургѣ"), expand_place("С.-Петербургъ"), expand_place("В Москве")
    ('Санкт-Петербург', 'Санкт-Петербург', 'Москва')
    """
    form = strip_brackets(text).lower().rstrip(" .?,:;").translate(_MODERN_LETTERS)
    form = _STRAY_DIGIT.sub("", _OLD_ENDING.sub("", form))
    inflected = _PREPOSITION.sub("", form)
    if inflected != form and inflected in _PLACES_IN_LOCATIVE:
        return _PLACES_IN_LOCATIVE[inflected]
    return _ABBREVIATIONS.get(form, text)


_ADDRESS = re.compile(r" *[(\[][^()\[\]]*\d[^()\[\]]*[)\]]|,? (?:[A-Z]{1,2}-)?\d{5}(?:-\d{4})?$")


def without_address(text: str) -> str:
    """Return a place without the address, or the postal code, that some records have behind it.

    >>> without_address("Washington, DC (401 M St., SW)"), without_address("Hanover, NH 03755"), without_address("Bern")
    ('Washington, DC', 'Hanover, NH', 'Bern')
    """
    return _ADDRESS.sub("", text) or text


def place_key(text: str) -> str:
    """Return a key that is equal for the forms of a place in both scripts, abbreviated or not; empty without letters.

    >>> place_key("М.") == place_key("[Москва]") == place_key("Moskva")
    True
    """
    name = fold(strip_brackets(text))
    return romanise(_ABBREVIATIONS_COMPARED.get(name, name))


def places_to_compare(text: str) -> tuple[str, ...]:
    """Return the keys of the places that a text names, equal also for the names of a town in other languages.

    >>> places_to_compare("New York") == places_to_compare("Нью-Йорк"), places_to_compare("М.; Л. и др.")
    (True, ('moskva', 'leningrad'))
    >>> places_to_compare("С.-Петербургъ")
    ('sankt peterburg',)
    """
    stated = (fold(name).translate(_MODERN_LETTERS) for name in _BETWEEN_PLACES.split(strip_brackets(text)))
    names = (_OLD_ENDING.sub("", _AND_OTHERS.sub("", name)) for name in stated)
    full = (_ABBREVIATIONS_COMPARED.get(name, name) for name in names)
    return tuple(filter(None, (romanise(_OTHER_NAMES.get(name, name)) for name in full)))


@lru_cache(maxsize=_TEXTS_REMEMBERED)
def is_unknown_imprint(text: str) -> bool:
    """Whether a text in place of a place or publisher states that it is not known, or has no letters.

    >>> is_unknown_imprint("[S.l.]"), is_unknown_imprint("Б. и."), is_unknown_imprint("М.")
    (True, True, False)
    """
    letters = _NOT_LETTERS.sub(" ", text.lower()).strip()
    return not letters or _UNKNOWN.fullmatch(letters) is not None


_STATES = {
    form.replace("_", " ").casefold(): state
    for state, forms in {
        "AL": "Ala. Alabama", "AK": "Alaska", "AZ": "Ariz. Arizona", "AR": "Ark. Arkansas",
        "CA": "Calif. Cal. California", "CO": "Colo. Colorado", "CT": "Conn. Connecticut", "DE": "Del. Delaware",
        "DC": "D.C. D._C. District_of_Columbia", "FL": "Fla. Florida", "GA": "Ga. Georgia", "HI": "Hawaii",
        "ID": "Idaho", "IL": "Ill. Illinois", "IN": "Ind. Indiana", "IA": "Iowa", "KS": "Kan. Kans. Kansas",
        "KY": "Ky. Kentucky", "LA": "La. Louisiana", "ME": "Me. Maine", "MD": "Md. Maryland",
        "MA": "Mass. Massachusetts", "MI": "Mich. Michigan", "MN": "Minn. Minnesota", "MS": "Miss. Mississippi",
        "MO": "Mo. Missouri", "MT": "Mont. Montana", "NE": "Neb. Nebr. Nebraska", "NV": "Nev. Nevada",
        "NH": "N.H. N._H. New_Hampshire", "NJ": "N.J. N._J. New_Jersey", "NM": "N.M. N._M. N._Mex. New_Mexico",
        "NY": "N.Y. N._Y. New_York", "NC": "N.C. N._C. North_Carolina", "ND": "N.D. N._D. N._Dak. North_Dakota",
        "OH": "Ohio", "OK": "Okla. Oklahoma", "OR": "Or. Ore. Oreg. Oregon", "PA": "Pa. Penn. Pennsylvania",
        "RI": "R.I. R._I. Rhode_Island", "SC": "S.C. S._C. South_Carolina", "SD": "S.D. S._D. S._Dak. South_Dakota",
        "TN": "Tenn. Tennessee", "TX": "Tex. Texas", "UT": "Utah", "VT": "Vt. Vermont", "VA": "Va. Virginia",
        "WA": "Wash. Washington", "WV": "W._Va. W.Va. West_Virginia", "WI": "Wis. Wisc. Wisconsin",
        "WY": "Wyo. Wyoming",
    }.items()
    for form in forms.split()
}  # fmt: skip
"""States of the USA as AACR2 and earlier rules shorten them, and in full → codes of the post."""

STATES_OF_THE_USA = frozenset(_STATES.values())
"""Codes of the post, such as ``MA``."""

_PARTS_OF_STATES = """
abc bcc mbc nfc nkc nsc ntc nuc onc pic quc snc ykc aca qea tma vra wea xga xna xoa enk nik stk uik wlk
air ajr bwr err gsr kgr kzr lir lvr mvr rur tar tkr unr uzr xxr
"""

MARC_COUNTRIES = (
    frozenset(MARC_COUNTRY_OF_ISO.values())
    | frozenset(_PARTS_OF_STATES.split())
    | {f"{state.lower()}u" for state in STATES_OF_THE_USA - {"NE"}}
    | {"ac", "bp", "cf", "gg", "im", "je", "jn", "nbu", "px", "ry", "sb", "sk", "ui", "us", "vp", "wb", "xl", "xx"}
)
"""The MARC code list for countries (https://www.loc.gov/marc/countries/): states and their parts, also former ones."""

_TOWN_AND_STATE = re.compile(
    r"(?P<town>[^,()]+?)(?:[, ]*, *(?P<after>[^,()]+)| +\((?P<within>[^,()]+)\)| +(?P<short>[A-Z]{2}|[A-Z][\w. ]*\.))"
)

_TOWNS = {
    "Москва": ("ru rur ur", "moscow moskau moscou mosca moskwa moscu"),
    "Санкт-Петербург": (
        "ru rur ur",
        "st_petersburg saint_petersburg sankt_petersburg st_petersbourg saint_petersbourg s_peterburg s_petersburg",
    ),
    "Киев": ("un uk ur unr ru", "kiev kyiv kiew kijow київ"),
    "Харьков": ("un ur unr ru", "kharkiv kharkov харків"),
    "Львов": ("un ur unr", "lviv lvov lwow lemberg львів"),
    "Минск": ("bw bwr ur ru", "minsk minsk мінск"),
    "Варшава": ("pl ru", "warsaw warszawa warschau varsovie varshava"),
    "Kraków": ("pl", "krakow cracow krakau cracovie краков"),
    "Praha": ("xr cs", "praha prague prag прага"),
    "Wien": ("au", "wien vienna vienne вена"),
    "München": ("gw", "munchen munich muenchen мюнхен"),
    "Köln": ("gw", "koln cologne koeln кельн"),
    "Nürnberg": ("gw", "nurnberg nuremberg nuernberg нюрнберг"),
    "Leipzig": ("gw ge", "leipzig leipsic lipsiae лейпциг"),
    "Berlin": ("gw ge", "berlin berolini берлин"),
    "Dresden": ("gw ge", "dresden dresde дрезден"),
    "Roma": ("it vc", "roma rome rom romae рим"),
    "Milano": ("it", "milano milan mailand милан"),
    "Firenze": ("it", "firenze florence florenz florentiae флоренция"),
    "Venezia": ("it", "venezia venice venedig venise venetiis венеция"),
    "Torino": ("it", "torino turin турин"),
    "Napoli": ("it", "napoli naples neapel неаполь"),
    "Genova": ("it", "genova genoa genua"),
    "Padova": ("it", "padova padua padoue"),
    "Genève": ("sz", "geneve geneva genf ginevra женева"),
    "Bern": ("sz", "bern berne berna берн"),
    "Basel": ("sz", "basel bale basle basileae базель"),
    "Zürich": ("sz", "zurich zuerich цюрих"),
    "Lisboa": ("po", "lisboa lisbon lissabon lisbonne лиссабон"),
    "Sevilla": ("sp", "sevilla seville"),
    "København": ("dk", "kobenhavn copenhagen kopenhagen копенгаген"),
    "Den Haag": ("ne", "den_haag the_hague la_haye s_gravenhage haag hague гаага"),
    "Bruxelles": ("be", "bruxelles brussels brussel brusel bruxelle брюссель"),
    "Antwerpen": ("be", "antwerpen antwerp anvers antverpiae"),
    "Gent": ("be", "gent ghent gand"),
    "Göteborg": ("sw", "goteborg gothenburg"),
    "Beograd": ("rb yu", "beograd belgrade belgrad београд белград"),
    "București": ("rm", "bucuresti bucharest bukarest bucarest бухарест"),
    "Sofii͡a": ("bu", "sofiia sofiya sofia софия"),
    "Athēna": ("gr", "athena athina athinai athens athen athenes афины"),
    "Beijing": ("cc", "beijing peking pekin пекин"),
    "Tōkyō": ("ja", "tokyo tokio токио"),
    "Cairo": ("ua", "cairo kairo le_caire al_qahirah каир"),
    "Paris": ("fr", "paris parigi parisiis parijs париж"),
    "London": ("xxk enk", "london londres londra londini лондон"),
}
"""A name of each town → the countries that it is or was in (codes of MARC), its folded names in other languages."""

_TOWN_OF_NAME = {
    form.replace("_", " "): (town, frozenset(countries.split()))
    for town, (countries, forms) in _TOWNS.items()
    for form in (fold(town), *forms.split())
}


@lru_cache(maxsize=4096)
def town_with_state(text: str) -> str:
    """Return a town of the USA with the code of its state, if a text names both; else an empty text.

    >>> town_with_state("Cambridge, Mass."), town_with_state("[Cambridge, MA]"), town_with_state("Cambridge Mass.")
    ('Cambridge, MA', 'Cambridge, MA', 'Cambridge, MA')
    >>> town_with_state("Cambridge, England"), town_with_state("New York")
    ('', '')
    """
    match = _TOWN_AND_STATE.fullmatch(strip_brackets(text).rstrip(" :;,"))
    if match is None:
        return ""
    stated = (match["after"] or match["within"] or match["short"]).strip()
    code = stated.rstrip(".").upper()
    is_code = code in STATES_OF_THE_USA and stated[0].isupper()
    state = code if is_code else _STATES.get(stated.casefold()) or _STATES.get(f"{stated.casefold()}.")
    return f"{match['town'].strip()}, {state}" if state else ""


def is_state(name: str) -> bool:
    """Whether a name is that of a state of the USA.

    >>> is_state("New York"), is_state("N.Y."), is_state("NY"), is_state("Paris")
    (True, True, False, False)
    """
    return name.casefold() in _STATES


def town_in_countries(name: str, countries: Iterable[str]) -> str:
    """Return one name of a town that has others in other languages, if it is in one of some countries (codes of MARC).

    Other towns of the same name are in other countries; so an empty text if the country is not known.

    >>> town_in_countries("Moscow", ["ru"]), town_in_countries("Moscow", ["idu"]), town_in_countries("Dubna", ["ru"])
    ('Москва', '', '')
    """
    town, places = known_town(name)
    return town if not places.isdisjoint(countries) else ""


def known_town(name: str) -> tuple[str, frozenset[str]]:
    """Return one name of a town that many libraries name in many languages, and its countries (codes of MARC).

    Both are empty for any other town.

    >>> known_town("Basileae"), known_town("Dubna")
    (('Basel', frozenset({'sz'})), ('', frozenset()))
    """
    return _TOWN_OF_NAME.get(fold(name), ("", frozenset()))


_USUAL_NAMES = frozenset(
    map(fold, (*_ABBREVIATIONS.values(), *_PLACES_IN_LOCATIVE.values(), *_OTHER_NAMES.values()))
) | frozenset(form for form in _TOWN_OF_NAME if has_cyrillic(form))


def is_usual_name(text: str) -> bool:
    """Whether a text is a name that Russian catalogues use for a town today.

    >>> is_usual_name("Ростов-на-Дону"), is_usual_name("Ростов на Дон"), is_usual_name("Ленинград")
    (True, False, False)
    """
    return fold(text) in _USUAL_NAMES and not is_former_name(text)
