"""The templates of one language: what they can call, and how they write messages, numbers and dates."""

from __future__ import annotations

import re
from collections.abc import Mapping

import jinja2
from markupsafe import Markup

from bibld.model.web import is_web_iri
from bibld.serve._assets import lasting_name
from bibld.serve._language import NAMES, PARAMETER, Language
from bibld.serve._pages.overview import bare_address, licence_name
from bibld.terms import LANGUAGES

_DIRECTIONS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def make_environment(language: Language, mount: str, values: Mapping[str, object]) -> jinja2.Environment:
    """Return the templates in a language; ``values`` are names that all of them know.

    Templates call ``_`` and ``ngettext`` with literals only, since a message may contain markup. Texts that are values
    go through the filter ``translated``, which escapes them.
    """
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("bibld.serve", "templates"),
        autoescape=True,
        trim_blocks=True,
        undefined=jinja2.StrictUndefined,
        auto_reload=False,
        cache_size=-1,
        extensions=["jinja2.ext.i18n"],
    )
    environment.newstyle_gettext = True  # type: ignore[attr-defined]

    def gettext(pattern: str, /, **given: object) -> Markup:
        return Markup(language.text(pattern)) % given

    def ngettext(one: str, many: str, number: int, /, **given: object) -> Markup:
        return Markup(language.pattern(one, many, number)) % {**given, "num": language.number(number)}

    def in_languages(address: str, query: str) -> list[tuple[str, str, str]]:
        """Return tag, name and address of a page in each language; an empty address is that of the page itself."""
        before = f"{address}?{query}&" if query else f"{address}?"
        return [(tag, NAMES[tag], f"{before}{PARAMETER}={tag}") for tag in LANGUAGES]

    environment.globals.update(
        _=gettext,
        gettext=gettext,
        ngettext=ngettext,
        language=language.tag,
        here="",
        query_string="",
        in_languages=in_languages,
        mount=mount,
        static=lambda name: f"{mount}static/{lasting_name(name)}",
        is_web_iri=is_web_iri,
        **values,
    )
    environment.filters.update(
        bare_address=bare_address,
        best=language.best,
        count=language.number,
        date=language.date,
        language_name=language.name_of_language,
        licence=licence_name,
        plain=plain,
        size=language.size,
        translated=language.text,
    )
    return environment


def plain(text: str) -> str:
    """Remove the characters that change the direction of writing, for places where no element can isolate them."""
    return _DIRECTIONS.sub("", text)
