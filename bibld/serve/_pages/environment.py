"""The templates of one language: what they can call, and how they write messages, numbers and dates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from types import CodeType

import jinja2
from jinja2 import nodes
from jinja2.bccache import Bucket
from jinja2.compiler import CodeGenerator, Frame
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from markupsafe import Markup, escape

from bibld.model.iris import is_web_iri
from bibld.serve._files import lasting_name
from bibld.serve._language import NAMES, PARAMETER, PageLanguage
from bibld.serve._pages.fields import FieldValue
from bibld.serve._pages.overview import bare_address, licence_name
from bibld.serve.ontology import LANGUAGES

_MARK = re.compile(r" ([:;/=]) ")
_DASHES = re.compile(r"\s*--\s*")
_DIRECTIONS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


_LONG, _VERY_LONG = 120, 300
"""Letters of titles that are written smaller in the heading of a page."""

_MAX_IN_LIST_LENGTH = 240
_SHORTENED = 200


_TO_ESCAPE = re.compile("[&<>\"']")


def escaped(value: object) -> str:
    """Return a value as text of a page, as ``escape`` does, but without making ``Markup`` of what needs no escaping.

    A page has some hundred values, and few contain a character that has to be escaped.
    """
    if type(value) is str:
        return value if _TO_ESCAPE.search(value) is None else escape(value)
    return value if type(value) is Markup else escape(value)


class _Code(CodeGenerator):
    """Compiles templates whose values are only joined to a page: calls ``escaped`` for each."""

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> None:
        if frame.eval_ctx.volatile or not frame.eval_ctx.autoescape:
            super()._output_child_pre(node, frame, finalize)
            return
        self.write("environment.escaped(")
        if finalize.src is not None:
            self.write(finalize.src)


class _Messages(Extension):
    """Translates ``_("…")`` when a template is compiled: a message without values is the same on every page."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        """Yield the tokens of a template; each such call is replaced by a literal with markup."""
        language: PageLanguage = self.environment.language  # type: ignore[attr-defined]
        tokens = list(stream)
        at = 0
        while at < len(tokens):
            call = tokens[at : at + 4]
            if [token.type for token in call] == _CALL and call[0].value == "_":
                line = call[0].lineno
                yield Token(line, "string", language.text(call[2].value) % {})
                yield Token(line, "pipe", "|")
                yield Token(line, "name", "safe")
                at += len(call)
            else:
                yield tokens[at]
                at += 1


_CALL = ["name", "lparen", "string", "rparen"]


class _Compiled(jinja2.BytecodeCache):
    """The templates that this process has compiled for a language: the next release needs the same."""

    def __init__(self) -> None:
        self._codes: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give a template its code if it has been compiled before."""
        bucket.code = self._codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Remember the code of a template."""
        if bucket.code is not None:
            self._codes[bucket.key, bucket.checksum] = bucket.code


@cache
def _compiled(language: PageLanguage) -> _Compiled:
    return _Compiled()


def make_environment(language: PageLanguage, mount: str, values: Mapping[str, object]) -> jinja2.Environment:
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
        bytecode_cache=_compiled(language),
        extensions=["jinja2.ext.i18n", _Messages],
    )
    environment.newstyle_gettext = True  # type: ignore[attr-defined]
    environment.extend(language=language, escaped=escaped)
    environment.code_generator_class = _Code

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
        decimal=language.decimal,
        language_name=language.name_of_language,
        licence=licence_name,
        long_class=long_class,
        parted=parted,
        plain=plain,
        sentence=language.sentence,
        shortened=shortened,
        shown=shown,
        size=language.size,
        translated=language.text,
        unbroken=unbroken,
    )
    return environment


def shown(value: FieldValue, href: str | None = None) -> Markup:
    """Return a value of a description with its remark: as a link to ``href`` or to its own address, if it has one.

    A page has some hundred of them, for which a macro takes too long.
    """
    language = f' lang="{escaped(value.language)}"' if value.language else ""
    if href:
        text = f'<a href="{escaped(href)}"{language} dir="auto">{escaped(value.text)}</a>'
    elif value.address:
        address, words = escaped(value.address), escaped(bare_address(value.text))
        text = f'<a href="{address}" rel="nofollow noopener" dir="auto">{words}</a>'
    else:
        text = f'<span{language} dir="auto">{escaped(value.text)}</span>'
    remark = f' <small class="remark" dir="auto">{escaped(value.remark)}</small>' if value.remark else ""
    return Markup(text + remark)


def unbroken(text: str) -> str:
    """Keep the marks of ISBD at the end of a line, not at the beginning of the next one."""
    return _MARK.sub("\u00a0\\1 ", text)


def parted(text: str) -> str:
    """Write the marks between the parts of a subject heading as dashes, after which a line can end."""
    return _DASHES.sub("\u00a0— ", text)


def long_class(text: str) -> Markup:
    """Return the attribute with the class of a heading that is long or very long; nothing for others."""
    if len(text) <= _LONG:
        return Markup()
    return Markup(' class="long"' if len(text) <= _VERY_LONG else ' class="very-long"')


def shortened(text: str) -> str:
    """Return the beginning of a very long title for a list, whose link leads to the whole one."""
    if len(text) <= _MAX_IN_LIST_LENGTH:
        return text
    start = text[:_SHORTENED]
    if " " in start:
        start = start.rpartition(" ")[0]
    return start.rstrip(" .,:;/=") + " …"


def plain(text: str) -> str:
    """Remove the characters that change the direction of writing, for places where no element can isolate them."""
    return _DIRECTIONS.sub("", text)
