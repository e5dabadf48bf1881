"""The pages of the documentation: their blocks of code, links and headings."""

import importlib.util
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)


@cache
def script(name: str) -> ModuleType:
    """Return a script of the folder docs as a module."""
    sys.path.insert(0, str(DOCS))  # as Python does for a script: for the modules beside it
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def generator() -> ModuleType:
    """Return docs/generate.py as a module."""
    return script("generate")


@cache
def text_of(page: Path) -> str:
    """Return a page with its long parts, as `make docs` writes it."""
    text = page.read_text(encoding="utf-8")
    return generator().completed(text) if "<!-- made:" in text else text


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, language: str) -> Iterator[str]:
    """Yield the blocks of code in a language."""
    for found, code in _BLOCK.findall(text_of(page)):
        if found == language:
            yield code


def links(page: Path) -> list[str]:
    """Return the targets of the links of a page, outside code."""
    return _LINK.findall(_CODE.sub("", text_of(page)))


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page, as code hosts make them."""
    text = re.sub(r"^```.*?^```$", "", text_of(page), flags=re.MULTILINE | re.DOTALL)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in _HEADING.findall(text)}
