"""The messages of commands (also errors, warnings and help) and of pages, as files of gettext for translators.

``python docs/messages.py LANGUAGE`` adds to ``bibld/text/locale/LANGUAGE/messages`` and ``…/pages`` an empty entry for
each message that has none, and takes out the entries of messages that were removed. A message of commands is any text
of words in the code: values in it become places, ``{name}``. Messages of pages are in templates and calls of ``text``,
with places ``%(name)s``.
"""

from __future__ import annotations

import ast
import io
import json
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any, NamedTuple, get_args

from babel.messages.catalog import Catalog
from babel.messages.extract import extract, extract_python
from babel.messages.pofile import read_po, write_po
from jinja2.ext import babel_extract

from bibld._api import explaining
from bibld._api.tables import AdapterRow, list_adapters
from bibld.catalog import RELATIONS
from bibld.catalog.backup import Copied
from bibld.dedup import pair_files, side_by_side
from bibld.dedup.block.composite import FAMILIES
from bibld.dedup.evaluate import CONSTRAINTS, LEVELS
from bibld.dedup.exceptions import RULES
from bibld.ingest import Exported
from bibld.ingest import _takedown as takedown
from bibld.link import _command as link
from bibld.model.enrichment import ReturnElement
from bibld.model.features import Features
from bibld.model.iris import Iris
from bibld.model.linkage import Decision
from bibld.model.matched import OUTCOMES, MatchedRecord
from bibld.serve.ontology import example_queries
from bibld.worklist import WorklistLine

PACKAGE = Path(__file__).parents[1] / "bibld"
LOCALES = PACKAGE / "text" / "locale"

_WITHOUT_MESSAGES = ("serve/_", "serve/scripts", "serve/ontology", "crosswalk/documentation", "spark/_")
"""Pages have their messages in templates and calls of ``text``."""

_PAGE_CALLS = {
    "_": None, "gettext": None, "text": None, "message": None, "ngettext": (1, 2), "plural": (1, 2), "pattern": (1, 2),
}  # fmt: skip

_OF_QUERIES = ("serve/_sparql/guard", "serve/_sparql/pool", "serve/_guarding/slots")
"""Parts of the server that report to programs, too: what they raise is a message of commands."""

_FAULTS_OF_QUERIES = "model/sparql/faults"
"""Each text there is a message."""

_ONLY_IN_CALLS = ("text", "crosswalk", "model", "triplify", "documents", "search", "parallel", "store")
"""Parts of bibld with tables of words, names and patterns: only what is raised, warned of or reported is a message."""

_MESSAGE_CALLS = re.compile(r"\w*Error|warn|report|detail|Finding|append|_?fault|_?refus\w*|Reject\w*|format_fault")

_WORDS = re.compile(r"(?<![\w{.@/-])[a-z]{2,}(?![\w}/-])")
_MIN_WORDS = 3
_COMMAND = re.compile("command|group")
_LONG_WORD = re.compile(r"(?<![\w{./<&=-])[a-z]{3,}(?![\w}./=-])")
_NUMBERED = {"with_number", "count_of"}
_CONTEXTS = {"print_rows": "column", "print_table": "column", "stage": "stage"}
_NO_MESSAGES = {
    "AssertionError", "AttributeError", "Doc", "NotImplementedError", "TypeError", "compile", "execute", "query",
}  # fmt: skip
_NOT_WORDS = re.compile(
    r"SELECT|WHERE|INSERT|CREATE |DELETE|PREFIX|^select |^from |^import |:long|tree:"
    r"|\\[bdswWD{]|\^|<[a-z?]|%\(|\n    [a-z]|[а-я]|^(insert into|create table|delete|copy|pip|urn|norm|law|sheet)\b"
    r"|^(\{\w+\}\W+)+and \{\w+\}$"
)
_WITH_SHORT_ONES = ("cli", "worklist", "config", "dedup", "read", "link")
_PRINTED = {"echo", "secho", "fail"}
# What click prints, and what is made of parts.
_ALSO_SHOWN = (
    "Usage:", "Options", "Commands", "[OPTIONS]", "COMMAND [ARGS]...", "[default: {value}]", "[required]",
    "Show this message and exit.", "Show the version and exit.", "Try '{command} {option}' for help.",
    "Missing argument '{name}'.", "Missing option '{name}'.", "No such option: {name}",
    "No such option: {name} Did you mean {close}?", "No such option '{name}'.",
    "No such option '{name}'. Did you mean '{close}'?", "No such option '{name}'. Possible options: {close}",
    "No such option: {name} (Possible options: {close})",
    "Option '{name}' requires an argument.", "Got unexpected extra argument ({name})", "Error: {message}",
    "Got unexpected extra arguments ({names})", "Invalid value for '{name}': {message}",
    "{value} is not in the range {range}.", "{value} is not one of {choices}.", "{value} is not a valid integer.",
    "{value} is not a valid float.", "Option '{name}' does not take a value.", "{name}: {number} {what} done",
    "{name}: {share} % ({done} of {total} {what}), {left} left", "warning: {message}", "bibld: {message}",
    "Run", "Look", "Give back", "Decide", "Convert", "Maintain", "a blank",
    "{number} in the catalogue", "{number} for a person to decide", "{number} rejected",
    "{number} in another edition, volume or form", "{number} new", "{number} changed", "{number} restored",
    "{number} deleted", "{number} replaced", "as in {record}", "not stated by the file: {elements}",
    "not stated by the catalogue: {elements}", "{pair}: same, by {person}", "{pair}: different, by {person}",
    "{pair}: related ({relation}), by {person}", "split: {reason}", "{pair}: different, by {person}: split: {reason}",
    "the value {value}", "the value {value}: {reason}", "{file} record {position} (byte {offset})",
)  # fmt: skip


# Values in tables: the column, and its words.
_CELLS = {
    "done": ("current",),
    "state": ("current", "served", "withdrawn", "on Spark", "new", "known"),
    "fate": ("private", "unmapped"),
    "status": ("accepted", "review", "disagreement"),
    "label": ("duplicate", "different"),
    "outcome": tuple(OUTCOMES),
    "full dumps": ("none",),
    "severity": ("violation", "warning", "info"),
    "check": ("files", "dumps", "store", "void", "documents", "ok", "DIFFERENT"),
    "declared": ("nothing",),
    "issuance": (
        "monographic",
        "single unit",
        "multipart monograph",
        "continuing",
        "serial",
        "integrating resource",
        "illustrations",
    ),
    "addition": get_args(ReturnElement),
    "by": (*(rule.name for rule in RULES), *CONSTRAINTS, "model", "jaccard", "blocking"),
    "material": (*LEVELS.values(), "print", "electronic", "microform", "braille", "audio", "video", "map", "score"),
}
_COLUMNS = dict.fromkeys(
    name for row in (WorklistLine, MatchedRecord, AdapterRow, Copied, Exported) for name in row.__struct_fields__
) | dict.fromkeys(("material", "level"))


class Message(NamedTuple):
    """A message: its English text, its plural if it has one, its context if one word has different meanings."""

    text: str
    plural: str = ""
    context: str = ""


def messages() -> dict[Message, str]:
    """Return all messages, each with the name of the part of bibld that it is in."""
    found = {Message(text): "cli" for text in _ALSO_SHOWN}
    found[Message("{number} addition of {addition}", "{number} additions of {addition}")] = "cli"
    reports = [each for name, each in vars(explaining).items() if name.endswith("Report")]
    words = {"none", "yes", "no"}.union(*(each.__struct_fields__ for each in reports))
    found |= {Message(word.replace("_", " "), context="report"): "api" for word in sorted(words)}
    card = (*side_by_side._FEATURES_OF_LINE, *side_by_side._MEANINGS.values())
    found |= {Message(word, context="card"): "cli" for word in card}
    found[Message("and", context="values")] = "cli"
    found |= {Message(unit, context="unit"): "cli" for unit in ("ms", "s", "min", "h")}
    found |= {Message(name.replace("_", " "), context="feature"): "dedup" for name in Features.__struct_fields__}
    lists = {
        pair_files.REVIEW_LIST: (*pair_files.REVIEW_COLUMNS, "person", "kind", "weight"),
        pair_files.LABEL: ("same", "different", "related"),
        pair_files.RELATION: RELATIONS,
        link.LINK_LIST: (*link.COLUMNS, "person"),
        link.DECISION: ("accepted", "rejected", "withdrawn"),
        takedown.SUPPRESSION_LIST: takedown.COLUMNS,
    }
    found |= {Message(word, context=context): "text" for context, words in lists.items() for word in words}
    found |= {Message(row.about): "protocols" for row in list_adapters()}
    found |= {Message(family): "dedup" for family in FAMILIES}
    found |= {Message(word, context="explanation"): "api" for word in ("adds", "missing")}
    found |= {Message(f"{{left}} and {{right}}: {one}, {{reasons}}"): "api" for one in get_args(Decision)}
    found |= {Message(word, context=column): "cli" for column, words in _CELLS.items() for word in words}
    found |= {Message(name.replace("_", " "), context="column"): "api" for name in _COLUMNS}
    found |= _template_messages((PACKAGE / "_api" / "run_report.html").read_bytes())
    for schema in sorted((PACKAGE / "worklist" / "schemas").glob("*.json")):
        found |= {Message(label, context="field"): "fields" for label in _labels(json.loads(schema.read_bytes()))}
    for file in sorted(PACKAGE.rglob("*.py")):
        path = file.relative_to(PACKAGE)
        module = str(path.with_suffix(""))
        if module in _OF_QUERIES or not module.startswith(_WITHOUT_MESSAGES):
            part = path.parts[0].removesuffix(".py").strip("_")
            tree = ast.parse(file.read_text(encoding="utf-8"))
            parts = _message_calls(tree) if part in _ONLY_IN_CALLS or module in _OF_QUERIES else [tree]
            if module == _FAULTS_OF_QUERIES:
                found |= dict.fromkeys(_sentences(tree), part)
            for message in (message for each in parts for message in _in_code(each)):
                found.setdefault(message, part)
            if part in _WITH_SHORT_ONES:
                for message in _short_ones(tree):
                    found.setdefault(message, part)
    return found


def _template_messages(template: bytes) -> dict[Message, str]:
    """Return the messages of a page that is no page of the site, in which ``word`` is called with a context."""
    keywords: dict[str, Any] = {"_": None, "word": ((1, "c"), 2)}
    extracted = extract(babel_extract, io.BytesIO(template), keywords=keywords, options={"newstyle_gettext": "true"})
    return {Message(text, context=context or ""): "api" for _, text, _, context in extracted if isinstance(text, str)}


def _labels(schema: dict[str, Any]) -> Iterator[str]:
    """Yield the names of fields, and of positions, which worklists show."""
    for field in schema["fields"].values():
        yield field["label"]
        yield from field.get("types", ())
        positions = field.get("positions", {})
        groups = [positions, *(each.get("positions", {}) for each in field.get("subfields", {}).values())]
        groups += [each.get("positions", {}) for each in field.get("types", {}).values()]
        yield from (one["label"] for group in groups for one in group.values() if one.get("label"))


def _short_ones(tree: ast.Module) -> Iterator[Message]:
    """Yield the texts of commands that are made of values and a word or two: ``{number} changed``."""
    for text in _texts(tree):
        is_text = "{" in text and "\n" not in text and "{}" not in text
        if is_text and _LONG_WORD.search(text) and not _NOT_WORDS.search(text):
            yield Message(text)


def _texts(code: ast.AST) -> Iterator[str]:
    """Yield the texts in some code, each once with its values as places."""
    left_out: set[ast.AST] = set()
    for node in ast.walk(code):
        if isinstance(node, ast.JoinedStr):
            left_out.update(node.values)
        if isinstance(node, ast.JoinedStr | ast.Constant) and node not in left_out:
            yield trimmed(template(node))


def _sentences(tree: ast.Module) -> Iterator[Message]:
    """Yield the texts with blanks and words in some code that are not patterns or documentation."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name(node) in _NO_MESSAGES | {"removeprefix"}:
            node.args = []
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value = ast.Constant(None)
    for text in _texts(tree):
        if " " in text and _WORDS.search(re.sub(r"\{\w+\}", "", text)):
            yield Message(text)


def _message_calls(tree: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _MESSAGE_CALLS.fullmatch(_name(node)):
            yield node


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _in_code(code: ast.AST) -> Iterator[Message]:
    left_out: set[ast.AST] = set()
    for node in ast.walk(code):
        if node in left_out:
            left_out.update(ast.iter_child_nodes(node))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            left_out.add(node.value)
        elif isinstance(node, ast.Call):
            if _name(node) in _NO_MESSAGES | _NUMBERED:
                left_out.update(ast.iter_child_nodes(node))
            yield from _of_call(node)
        elif isinstance(node, ast.FunctionDef) and any(_COMMAND.search(ast.unparse(d)) for d in node.decorator_list):
            parts = (ast.get_docstring(node) or "").split("\n\n")
            yield from (
                Message(" ".join(part.split())) for part in parts if part and not part.startswith(("\\b", "\b"))
            )
        elif isinstance(node, ast.JoinedStr | ast.Constant):
            if isinstance(node, ast.JoinedStr):
                left_out.update(part for part in node.values if isinstance(part, ast.Constant))
            if (text := trimmed(template(node))) and is_message(text):
                yield Message(text)


def _of_call(call: ast.Call) -> Iterator[Message]:
    name = _name(call)
    if name in _NUMBERED:
        yield from _numbered(call)
    elif name in _PRINTED:
        yield from _printed(call)
    elif name in _CONTEXTS:
        yield from _in_context(call, _CONTEXTS[name])


def template(node: ast.expr) -> str:
    """Return a text of the code with its values as places; empty for other expressions."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    names: dict[str, int] = {}
    text = ""
    for part in node.values if isinstance(node, ast.JoinedStr) else ():
        if isinstance(part, ast.Constant):
            text += part.value
        elif isinstance(part, ast.FormattedValue):
            words = re.findall(r"[A-Za-z_]\w*", ast.unparse(part.value))
            name = next(
                (word.strip("_") for word in reversed(words) if word.strip("_") not in ("", "str", "self")), "x"
            )
            names[name] = names.get(name, 0) + 1
            text += f"{{{name}{names[name] if names[name] > 1 else ''}}}"
    return text


def trimmed(text: str) -> str:
    """Return a text without what joins it to the one before."""
    return text.strip().lstrip(";, ")


def is_message(text: str) -> bool:
    """Return whether a text has words for people."""
    return len(_WORDS.findall(text)) >= _MIN_WORDS and not _NOT_WORDS.search(text)


def _printed(call: ast.Call) -> Iterator[Message]:
    yield from (Message(text) for text in _texts(call) if _WORDS.search(re.sub(r"\{\w+\}", "", text)))


def _numbered(call: ast.Call) -> Iterator[Message]:
    nouns = [each.value for each in call.args[1:] if isinstance(each, ast.Constant)]
    if nouns:
        yield Message(f"{{number}} {nouns[0]}", f"{{number}} {nouns[1] if len(nouns) > 1 else nouns[0] + 's'}")


def _in_context(call: ast.Call, context: str) -> Iterator[Message]:
    left_out: set[ast.AST] = set()
    for node in (node for each in call.args[context == "stage" :] for node in ast.walk(each)):
        if isinstance(node, ast.JoinedStr | ast.Constant) and node not in left_out:
            left_out.update(ast.walk(node))
            text = template(node).replace("_", " ")
            if re.search("[a-z]{2}", re.sub(r"\{\w+\}", "", text)):
                yield Message(text) if "{" in text else Message(text, context=context)


def page_messages() -> dict[Message, str]:
    """Return all messages of pages, each with the file that has it; their places are ``%(name)s``."""
    found: dict[Message, str] = {}
    for suffix, method in (("html", babel_extract), ("py", extract_python)):
        for file in sorted((PACKAGE / "serve").rglob(f"*.{suffix}")):
            data, options = io.BytesIO(file.read_bytes()), {"newstyle_gettext": "true"}
            with redirect_stderr(io.StringIO()):  # Babel warns of f-strings in calls of other functions
                extracted = list(extract(method, data, keywords=_PAGE_CALLS, options=options))
            for _, text, _, _ in extracted:
                found[Message(*([text] if isinstance(text, str) else text[:2]))] = file.name
    words = tomllib.loads((LOCALES / "words.toml").read_text(encoding="utf-8"))
    found |= {Message(text): "words.toml" for table in words.values() for text in table.values()}
    for query in example_queries(Iris("https://data.example.org/")):  # their texts are in the ontology
        found |= dict.fromkeys((Message(query.title), Message(query.description)), query.name)
    with_plural = {message.text for message in found if message.plural}
    return {
        message: file
        for message, file in found.items()
        if any(map(str.isalpha, message.text)) and (message.plural or message.text not in with_plural)
    }


def stored(language: str, kind: str) -> dict[str, dict[Message, tuple[str, ...]]]:
    """Return the translations (all plural forms) in the files of a ``kind``, ``messages`` or ``pages``."""
    found: dict[str, dict[Message, tuple[str, ...]]] = {}
    for file in sorted((LOCALES / language / kind).glob("*.po")):
        entries = found.setdefault(file.stem, {})
        for entry in read_po(io.BytesIO(file.read_bytes()), locale=language):
            if entry.id:
                one, many = entry.id if isinstance(entry.id, tuple) else (entry.id, "")
                string = entry.string if isinstance(entry.string, tuple) else (entry.string,)
                entries[Message(one, many, entry.context or "")] = string
    return found


def complete(language: str) -> int:
    """Write the files of a language with an entry for each message, and return how many have no translation.

    A new message of a page is written into the file in which Russian has it.
    """
    files = {message.text: name for name, entries in stored("ru", "pages").items() for message in entries}
    pages = {message: files.get(message.text, "page") for message in page_messages()}
    return sum(_complete(language, kind, expected) for kind, expected in (("messages", messages()), ("pages", pages)))


def _complete(language: str, kind: str, expected: Mapping[Message, str]) -> int:
    """Write the files of a kind that change; ``expected`` has the file for each message that is in none yet."""
    folder = LOCALES / language / kind
    folder.mkdir(parents=True, exist_ok=True)
    known = stored(language, kind)
    plurals = {(message.text, message.context): message.plural for message in expected}
    files = {
        name: {one: string for one, string in entries.items() if plurals.get(one[::2]) in ("", one.plural)}
        for name, entries in known.items()
    }
    found = {one[::2] for entries in files.values() for one in entries}
    forms = Catalog(locale=language).num_plurals
    for message, name in expected.items():
        if message[::2] not in found:
            files.setdefault(name, {})[message] = ("",) * (forms if message.plural else 1)
    for name, entries in files.items():
        if not entries:
            (folder / f"{name}.po").unlink()
        elif entries != known.get(name):
            _write_file(folder / f"{name}.po", language, entries)
    return sum(not all(string) for entries in files.values() for string in entries.values())


def _write_file(file: Path, language: str, entries: Mapping[Message, tuple[str, ...]]) -> None:
    catalogue = Catalog(locale=language)
    for message, string in entries.items():
        key = (message.text, message.plural) if message.plural else message.text
        catalogue.add(key, string if message.plural else string[0], context=message.context or None)
    out = io.BytesIO()
    write_po(out, catalogue, width=0, omit_header=True)
    if file.exists():
        head = file.read_text(encoding="utf-8").partition("\n\n")[0] + "\n\n"
    else:
        place = "%(file)s" if file.parent.name == "pages" else "{file}"
        head = _HEAD.format(part=file.stem, language=language, plural=catalogue.plural_forms, place=place)
    file.write_text(head + out.getvalue().decode(), encoding="utf-8")


_HEAD = """# Messages of bibld, part {part}. The key is the English text; `python docs/messages.py {language}` adds what
# is new. A place such as {place} is that of a value, and may be elsewhere in the translation.
msgid ""
msgstr ""
"Language: {language}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: {plural}\\n"

"""

if __name__ == "__main__":
    for tag in sys.argv[1:] or ["ru"]:
        print(f"{tag}: {complete(tag)} messages have no translation")
