"""Words that may not come back: in identifiers, and in docstrings, comments, messages, pages and templates.

The list is short on purpose: words for which the project has a plainer one. ``known_violations.LANGUAGE`` lists the
folders and files that still contain some; it can only shrink.
"""

from __future__ import annotations

import ast
import importlib.util
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]

# A word of an identifier (identifiers are cut at underscores and capitals), and what to write instead.
IDENTIFIERS = {
    "afresh": "again",
    "alike": "similar",
    "alive": "live",
    "anew": "rebuild, requeue",
    "apart": "partition",
    "bequeath": "set_redirect",
    "buried|bury": "tombstone",
    "claimants?": "asserting cluster",
    "dead": "deleted",
    "disinherit": "clear_redirect",
    "everything": "what is processed",
    "happened": "run_time",
    "heard?": "last_seen_verdict, mark_verdicts_seen",
    "heirs?": "redirect",
    "held": "the thing that is stored",
    "judged?|judging|judges": "score, decide, label",
    "likeness|likenesses": "similarity",
    "living": "live",
    "meant": "resolve_record",
    "redo": "requeue",
    "renew": "rebuild, requeue",
    "said|say|says|sayings?": "report, state; PersonVerdict",
    "seekers?|sought": "existence dependency, dependents",
    "several": "what is counted",
    "sieved?|sift": "pre-filter",
    "stands?": "is stored in",
    "tells?|told": "explain, report",
    "testators?": "redirected_records",
    "voices?": "assertion",
    "whole": "what is processed",
}

# Words and phrases of running text.
PROSE = {
    r"afresh|anew": "again; rebuild, requeue",
    r"alike|likeness(?:es)?": "similar, similarity",
    r"beque\w+|disinherit\w*|testators?|heirs?": "redirect",
    r"bur(?:y|ies|ied)": "tombstone, delete",
    r"(?:living|dead) (?:record|member|cluster|resource)s?": "live, deleted",
    r"(?:is|are|was|were) gone": "was deleted",
    r"heard": "last seen, read",
    r"judg(?:ed?|es|ing)": "score, decide, label",
    r"lies": "is stored in, is in",
    r"of (?:its|their) own": "own, separate",
    r"sa(?:y|ys|id|ying)": "report, state",
    r"seekers?|sought": "search, depend",
    r"siev(?:es?|ed|ing)|sift\w*": "pre-filter",
    r"so many": "how many: give the number",
    r"stands?(?!-alone| for\b| in for\b)": "is stored in, is",
    r"tells?|told": "explain, report, state",
    r"wherever": "where",
}

# Where a word of the list is the right one, and why.
ALLOWED = {
    ("bibld/crosswalk/_unimarc/form.py", "voices?"): "the voices of a piece of music",
    ("bibld/text/extents.py", "whole"): "whole numbers",
}

WORD_OF_NAME = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
NAMES = [(re.compile(rf"(?:{word})", re.IGNORECASE), word) for word in IDENTIFIERS]
TEXTS = [(re.compile(rf"(?<![\w-])(?:{phrase})(?![\w-])", re.IGNORECASE), phrase) for phrase in PROSE]
# Most names and lines have none of the words: one search shows it.
ANY_NAME = re.compile("|".join(f"(?:{word})" for word in IDENTIFIERS), re.IGNORECASE)
ANY_TEXT = re.compile(rf"(?<![\w-])(?:{'|'.join(f'(?:{phrase})' for phrase in PROSE)})(?![\w-])", re.IGNORECASE)
FOLDERS = ("bibld", "docs", "ontology", "sample_data", "tests", "benchmarks")
# This folder names the words; decisions and cases are records of their time and of libraries.
SKIPPED = ("tests/architecture/", "tests/crosswalk/cases/", "docs/decisions/", "sample_data/build.py")
SUFFIXES = {".py", ".md", ".html", ".toml"}


def load_known_violations() -> ModuleType:
    spec = importlib.util.spec_from_file_location("known_violations", Path(__file__).with_name("known_violations.py"))
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


KNOWN: frozenset[str] = frozenset(load_known_violations().LANGUAGE)


def identifiers(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the names that a module gives: of functions, classes, arguments, variables and attributes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.attr


def texts(path: Path, content: str) -> Iterator[tuple[int, str]]:
    """Yield the running text of a file: all of a page or template, comments and strings of a module."""
    if path.suffix != ".py":
        yield from enumerate(content.splitlines(), 1)
        return
    for token in tokenize.generate_tokens(io.StringIO(content).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING):
            for number, line in enumerate(token.string.splitlines()):
                yield token.start[0] + number, line


def findings(path: Path, content: str) -> Iterator[str]:
    name = path.as_posix()
    if path.suffix == ".py":
        for line, identifier in identifiers(ast.parse(content)):
            for part in filter(ANY_NAME.fullmatch, WORD_OF_NAME.findall(identifier)):
                for pattern, word in NAMES:
                    if pattern.fullmatch(part) and (name, word) not in ALLOWED:
                        yield f"{name}:{line}: {identifier}: write {IDENTIFIERS[word]}"
    for line, text in texts(path, content) if ANY_TEXT.search(content) else ():
        for pattern, phrase in TEXTS if ANY_TEXT.search(text) else ():
            if (found := pattern.search(text)) and (name, phrase) not in ALLOWED:
                yield f"{name}:{line}: “{found[0]}”: write {PROSE[phrase]}"


def group_of(path: str) -> str:
    """Return the entry of the list that a file belongs to: its package, or the file itself near the top."""
    steps = path.split("/")
    return "/".join(steps[: 3 if path.startswith(("bibld/dedup/", "docs/")) else 2])


def findings_by_group(prefix: str = "") -> dict[str, list[str]]:
    files = [file for folder in FOLDERS for file in sorted((ROOT / folder).rglob("*"))] + sorted(ROOT.glob("*.md"))
    found: dict[str, list[str]] = {}
    for file in files:
        path = file.relative_to(ROOT)
        name = path.as_posix()
        if file.suffix not in SUFFIXES or not file.is_file() or name.startswith(SKIPPED) or not name.startswith(prefix):
            continue
        for finding in findings(path, file.read_text(encoding="utf-8")):
            found.setdefault(group_of(name), []).append(finding)
    return found


def test_words_that_have_a_plainer_one_do_not_come_back() -> None:
    found = findings_by_group()
    new = [finding for group, some in found.items() if group not in KNOWN for finding in some]
    assert not new, "\n".join(["words that have a plainer one:", *new])
    clean = sorted(KNOWN - found.keys())
    assert clean == [], "these are clean: delete their entries from known_violations.LANGUAGE"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('def told(x): """Return x."""', 1),
        ("def to_told_form(x): pass", 1),
        ("class RecordSaying: pass", 1),
        ("understand = standard = 1  # the standard understands whole numbers of several records", 0),
        ("# What is X stands in Y and is built anew", 2),
        ("x = 'stand-alone'  # stands for nothing", 0),
        ("judgement = 'judgement'", 0),
        ("x = 'the record is gone'", 1),
    ],
)
def test_the_words_are_found_and_no_others(text: str, expected: int) -> None:
    assert len(list(findings(Path("bibld/example.py"), text))) == expected


if __name__ == "__main__":
    for some in findings_by_group(*sys.argv[1:]).values():
        print(*some, sep="\n")
