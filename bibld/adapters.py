"""Finding adapters: the modules of a stage's folder that have no underscore, and those that others offer.

An adapter is known by the name of its file (``iso2709``), or by the name under which another distribution offers it in
the entry-point group ``bibld.<stage>``. A stage inside a stage is written with a dot: ``dedup.match``.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.metadata
import importlib.util
import pkgutil
from types import ModuleType
from typing import Any

from bibld.errors import ConfigError


def names(stage: str) -> list[str]:
    """The names of a stage's adapters, in alphabetical order."""
    return sorted(set(_own(stage)) | set(_offered(stage)))


def find(stage: str, name: str) -> ModuleType:
    """Import one adapter; raises ``ConfigError`` for a name that there is not."""
    if name in _own(stage):
        return importlib.import_module(f"bibld.{stage}.{name}")
    offered = _offered(stage)
    if name in offered:
        module = offered[name].load()
        if not isinstance(module, ModuleType):
            raise ConfigError([f"entry point {name!r} of bibld.{stage} must name a module, not {module!r}"])
        return module
    raise ConfigError([unknown(name, names(stage), f"adapter of {stage}")])


def settings_type(stage: str, name: str) -> type[Any]:
    """The struct that an adapter's table in the configuration must fit."""
    settings: type[Any] = find(stage, name).Settings
    return settings


def unknown(name: str, known: list[str], what: str) -> str:
    """The message for a name that is not among those known: what was meant, perhaps, and what is allowed."""
    close = difflib.get_close_matches(name, known, n=1)
    meant = f'; did you mean "{close[0]}"?' if close else ""
    return f'"{name}" is no {what}{meant} (allowed: {", ".join(known) or "nothing"})'


def _own(stage: str) -> list[str]:
    spec = importlib.util.find_spec(f"bibld.{stage}")
    locations = list(spec.submodule_search_locations or ()) if spec else []
    return [info.name for info in pkgutil.iter_modules(locations) if not info.name.startswith("_") and not info.ispkg]


def _offered(stage: str) -> dict[str, importlib.metadata.EntryPoint]:
    return {point.name: point for point in importlib.metadata.entry_points(group=f"bibld.{stage}")}
