"""Names of a package that are imported when they are first used, so that a command starts without what others need."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def import_on_use(package: str, homes: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """Return the function ``__getattr__`` of a package (PEP 562), which imports a name and keeps it in the package.

    ``homes`` has the names by the module that defines them, relative to the package.
    """
    module_of = {name: f"{package}.{module}" for module, names in homes.items() for name in names}

    def get_attribute(name: str) -> Any:  # noqa: ANN401
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(module_of[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return get_attribute
