"""The examples in the docstrings of ``bibld.text``."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

from bibld import text


@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(text.__path__)])
def test_the_examples_in_docstrings_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(f"bibld.text.{name}")).failed == 0
