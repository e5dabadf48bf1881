"""Towns as catalogues of other countries name them: Moscow and Москва; Cambridge, Mass. and Cambridge, MA."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from bibld.text.folding import fold, strip_brackets

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

_TOWN_AND_STATE = re.compile(r"(?P<town>[^,()]+)(?:, *(?P<after>[^,()]+)| +\((?P<within>[^,()]+)\))")

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

    >>> town_with_state("Cambridge, Mass."), town_with_state("[Cambridge, MA]"), town_with_state("Cambridge (Mass.)")
    ('Cambridge, MA', 'Cambridge, MA', 'Cambridge, MA')
    >>> town_with_state("Cambridge, England"), town_with_state("New York")
    ('', '')
    """
    match = _TOWN_AND_STATE.fullmatch(strip_brackets(text).rstrip(" :;,"))
    if match is None:
        return ""
    stated = (match["after"] or match["within"]).strip()
    is_code = stated in STATES_OF_THE_USA
    state = stated if is_code else _STATES.get(stated.casefold()) or _STATES.get(f"{stated.casefold()}.")
    return f"{match['town'].strip()}, {state}" if state else ""


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
