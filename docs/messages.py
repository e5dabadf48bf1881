"""The messages that commands, errors, warnings and help print, as a translator meets them: a file of gettext.

``python docs/messages.py LANGUAGE`` adds to ``bibld/text/locale/LANGUAGE/messages`` an empty entry for each message
that has none, and takes out the entries of messages that exist no more. The files are those of the packages that the
messages are in. A message is any text of words in the code: values in it become places, ``{name}``.
"""

from __future__ import annotations

import ast
import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from babel.messages.catalog import Catalog
from babel.messages.catalog import Message as Entry
from babel.messages.pofile import read_po, write_po

from bibld._api import explaining

PACKAGE = Path(__file__).parents[1] / "bibld"

_WITHOUT_MESSAGES = ("serve/_", "serve/scripts", "serve/ontology", "crosswalk/documentation", "spark/_")
"""Pages have their messages in templates and calls of ``text``."""

_ONLY_IN_CALLS = ("text", "crosswalk", "model", "triplify", "documents", "search", "read", "parallel", "store")
"""Parts of bibld with tables of words, names and patterns: only what is raised, warned of or reported is a message."""

_MESSAGE_CALLS = re.compile(r"\w*Error|warn|report|detail|Finding|append|_?fault|_?refuse\w*|Reject\w*|format_fault")

_WORDS = re.compile(r"(?<![\w{.@/-])[a-z]{2,}(?![\w}/-])")
_MIN_WORDS = 3
_LONG_WORD = re.compile(r"(?<![\w{./<&=-])[a-z]{3,}(?![\w}./=-])")
_NUMBERED = {"with_number", "count_of"}
_CONTEXTS = {"print_rows": "column", "print_table": "column", "stage": "stage"}
_NO_MESSAGES = {
    "AssertionError", "AttributeError", "Doc", "NotImplementedError", "TypeError", "compile", "execute", "query",
}  # fmt: skip
_NOT_WORDS = re.compile(
    r"SELECT|WHERE|INSERT|CREATE |DELETE|PREFIX|^select |^from |^import |:long|tree:"
    r"|\\[bdswWD]|\^|<[a-z]|%\(|\n    [a-z]|[а-я]"
)
_WITH_SHORT_ONES = ("cli", "worklist")
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
    "{value} is not a valid float.", "Option '{name}' does not take a value.", "{name}: {done} {what} done",
    "{name}: {share} % ({done} of {total} {what}), {left} left", "warning: {message}", "bibld: {message}",
    "Run", "Look", "Give back", "Decide", "Convert", "Maintain", "a blank",
)  # fmt: skip


class Message(NamedTuple):
    """A message: its English text, its plural if it has one, its context if one word has different meanings."""

    text: str
    plural: str = ""
    context: str = ""


def messages() -> dict[Message, str]:
    """Return all messages, each with the name of the part of bibld that it is in."""
    found = {Message(text): "cli" for text in _ALSO_SHOWN}
    reports = [each for name, each in vars(explaining).items() if name.endswith("Report")]
    words = {"none", "yes", "no"}.union(*(each.__struct_fields__ for each in reports))
    found |= {Message(word.replace("_", " "), context="report"): "api" for word in sorted(words)}
    for schema in sorted((PACKAGE / "worklist" / "schemas").glob("*.json")):
        found |= {Message(label, context="field"): "fields" for label in _labels(json.loads(schema.read_bytes()))}
    for file in sorted(PACKAGE.rglob("*.py")):
        path = file.relative_to(PACKAGE)
        if not str(path.with_suffix("")).startswith(_WITHOUT_MESSAGES):
            part = path.parts[0].removesuffix(".py").strip("_")
            tree = ast.parse(file.read_text(encoding="utf-8"))
            parts = _message_calls(tree) if part in _ONLY_IN_CALLS else [tree]
            for message in (message for each in parts for message in _in_code(each)):
                found.setdefault(message, part)
            if part in _WITH_SHORT_ONES:
                for message in _short_ones(tree):
                    found.setdefault(message, part)
    return found


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
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr | ast.Constant):
            text = trimmed(template(node))
            if "{" in text and _LONG_WORD.search(text) and not _NOT_WORDS.search(text):
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
        elif isinstance(node, ast.FunctionDef) and any("command" in ast.unparse(d) for d in node.decorator_list):
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
    left_out: set[ast.AST] = set()
    for node in ast.walk(call):
        if isinstance(node, ast.JoinedStr):
            left_out.update(node.values)
        if isinstance(node, ast.JoinedStr | ast.Constant) and node not in left_out:
            text = trimmed(template(node))
            if _WORDS.search(re.sub(r"\{\w+\}", "", text)):
                yield Message(text)


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


def complete(language: str) -> int:
    """Write the files of a language with an entry for each message, and return how many have no translation."""
    folder = PACKAGE / "text" / "locale" / language / "messages"
    folder.mkdir(parents=True, exist_ok=True)
    known: dict[Message, str | tuple[str, ...]] = {}
    for file in folder.glob("*.po"):
        for entry in read_po(io.BytesIO(file.read_bytes()), locale=language):
            if entry.id:
                known[_message_of(entry)] = entry.string
    catalogues: dict[str, Catalog] = {}
    missing = 0
    for message, part in messages().items():
        catalogue = catalogues.setdefault(part, Catalog(locale=language))
        key = (message.text, message.plural) if message.plural else message.text
        string = known.get(message, ("",) * catalogue.num_plurals if message.plural else "")
        missing += not (all(string) if isinstance(string, tuple) else string)
        catalogue.add(key, string, context=message.context or None)
    for file in folder.glob("*.po"):
        if file.stem not in catalogues:
            file.unlink()
    for part, catalogue in catalogues.items():
        out = io.BytesIO()
        write_po(out, catalogue, width=0, omit_header=True)
        head = _HEAD.format(part=part, language=language, plural=catalogue.plural_forms)
        (folder / f"{part}.po").write_text(head + out.getvalue().decode(), encoding="utf-8")
    return missing


def _message_of(entry: Entry) -> Message:
    one, many = entry.id if isinstance(entry.id, tuple) else (entry.id, "")
    return Message(one, many, entry.context or "")


_HEAD = """# Messages of bibld, part {part}. The key is the English text; `python docs/messages.py {language}` adds what
# is new. A place such as {{file}} is that of a value, and may be elsewhere in the translation.
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
