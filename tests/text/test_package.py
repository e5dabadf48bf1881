"""The package as a whole: its examples, and its independence of the rest of bibld."""

from __future__ import annotations

import ast
import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

from bibld import text


@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(text.__path__)])
def test_the_examples_in_docstrings_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(f"bibld.text.{name}")).failed == 0


@pytest.mark.parametrize("file", sorted(Path(text.__path__[0]).glob("*.py")), ids=lambda file: file.stem)
def test_words_of_catalogues_depend_on_nothing_else_of_bibld(file: Path) -> None:
    imported = [
        node.module or "" for node in ast.walk(ast.parse(file.read_bytes())) if isinstance(node, ast.ImportFrom)
    ]
    inner = [name for name in imported if name.startswith("bibld")]
    assert all(name.startswith("bibld.text.") or name == "bibld.errors" for name in inner), inner
