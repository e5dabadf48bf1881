"""The adapters of every stage: the modules and packages of its folder that have no underscore, and plug-ins.

An adapter is known by the name of its file or folder (``iso2709``). Another distribution offers one, a *plug-in*, in
the entry-point group ``bibld.<stage>`` under a name of its choice; the entry point names a module or a package. A stage
inside a stage is written with a dot: ``dedup.score``. What an adapter contains is written in ``bibld.protocols``.

A plug-in that cannot be used never stops a command: it is reported once on standard error, with its distribution, the
cause and what to do, and is left out of the names.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.metadata
import importlib.util
import inspect
import logging
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from threading import Lock
from types import ModuleType
from typing import Any

import msgspec

from bibld.errors import ConfigError
from bibld.protocols import EXTENSION_POINTS, SETTINGS_MAY_BE_REQUIRED, Carrier, NetworkHarvester

AUTO = "auto"
"""Instead of the name of a reader or crosswalk: detect it."""

STAGES = tuple(EXTENSION_POINTS)
"""The stages that have adapters, in the order in which a record passes them."""

_LOG = logging.getLogger("bibld.protocols.adapters")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_RESERVED = {
    "read": {AUTO},
    "crosswalk": {AUTO, "mods"},
    "store": {"backend", "remote"},
    "publish": {"keep", "full", "full_after_days", "full_above", "suppress", "parts"},
}
"""Names that mean something else in the configuration."""


_LENT: dict[tuple[str, str], ModuleType] = {}
_LENDING = Lock()


class BrokenPlugin(msgspec.Struct, frozen=True):
    """A plug-in that cannot be used: the entry point that offers it, and the cause with what to do about it."""

    stage: str
    name: str
    target: str
    distribution: str
    cause: str

    def __str__(self) -> str:
        return f'plug-in "{self.name}" of bibld.{self.stage} ({self.distribution}: {self.target}) skipped: {self.cause}'


def adapter_names(stage: str) -> list[str]:
    """Return the names of a stage's usable adapters, in alphabetical order."""
    return sorted({*_built_in_names(stage), *_plugins(stage)[0]})


def load_adapter(stage: str, name: str) -> ModuleType:
    """Import one adapter; raises ``ConfigError`` for an unknown name and for a plug-in that is broken."""
    if (lent := _LENT.get((stage, name))) is not None:
        return lent
    if name in _built_in_names(stage):
        return importlib.import_module(f"bibld.{stage}.{name}")
    if name in _plugins(stage)[0]:
        return _plugins(stage)[0][name]
    raise ConfigError([unknown_adapter_message(stage, name)])


@contextmanager
def lent_adapter(stage: str, name: str, adapter: Any) -> Iterator[str]:  # noqa: ANN401
    """Make an object an adapter of this process while the context lasts, and yield its name.

    That is ``name`` if no other adapter of the stage has it, else one with a number.
    """
    with _LENDING:
        names = (name, *(f"{name}-{number}" for number in range(2, 1000)))
        free = next(one for one in names if (stage, one) not in _LENT and one not in adapter_names(stage))
        _LENT[stage, free] = adapter
    try:
        yield free
    finally:
        del _LENT[stage, free]


def lent_names(stage: str) -> list[str]:
    """Return the names of the objects that are adapters of this process alone, in alphabetical order."""
    return sorted(name for lent_to, name in _LENT if lent_to == stage)


def settings_type(stage: str, name: str) -> type[Any]:
    """Return the struct that an adapter's table in the configuration must fit; raises as :func:`load_adapter` does."""
    settings: type[Any] = load_adapter(stage, name).Settings
    return settings


def stage_settings_type(stage: str) -> type[Any]:
    """Return the struct that the table of a stage in the configuration must fit, beside the tables of its adapters."""
    settings: type[Any] = importlib.import_module(f"bibld.{stage}").Settings
    return settings


def detect_adapter(stage: str, sample: object) -> str | None:
    """Return the name of the first adapter whose ``sniffs`` recognises the sample; None if no adapter does.

    Adapters are asked in the order of :func:`detection_order`. One whose ``sniffs`` raises an exception has not
    recognised the sample; that is reported once.
    """
    for name, sniffs in _sniffers(stage):
        try:
            if sniffs(sample):
                return name
        except Exception as error:  # noqa: BLE001
            _report_once(f'"{name}" of bibld.{stage} recognised nothing: its sniffs() raised {_cause(error)}')
    return None


@cache
def detection_order(stage: str) -> tuple[str, ...]:
    """Return the names of a stage's adapters in the order in which auto-detection asks them.

    A higher ``PRIORITY`` (an integer, 0 if absent) comes first; of equal ones built-in adapters come before plug-ins,
    then the alphabet decides.
    """

    def key(name: str) -> tuple[int, bool, str]:
        return -getattr(load_adapter(stage, name), "PRIORITY", 0), name in _plugins(stage)[0], name

    return tuple(sorted(adapter_names(stage), key=key))


def broken_plugins() -> list[BrokenPlugin]:
    """Load the plug-ins of every stage, and return those that cannot be used; each is reported once."""
    return [broken for stage in STAGES for broken in _plugins(stage)[1]]


def unknown_adapter_message(stage: str, name: str, also: tuple[str, ...] = ()) -> str:
    """Return the message for a name that is not an adapter's: the cause if it is that of a broken plug-in.

    ``also`` are further names that are allowed.
    """
    for broken in _plugins(stage)[1]:
        if broken.name == name:
            return str(broken)
    return unknown_name_message(name, [*adapter_names(stage), *also], f"{stage} adapter")


def unknown_name_message(name: str, known: list[str], what: str) -> str:
    """Return the message for an unknown name: the known name that is probably meant, and all that are allowed."""
    close = difflib.get_close_matches(name, known, n=1)
    hint = f'; did you mean "{close[0]}"?' if close else ""
    return f'unknown {what} "{name}"{hint} (allowed: {", ".join(known) or "nothing"})'


@cache
def _sniffers(stage: str) -> list[tuple[str, Callable[[Any], bool]]]:
    return [(name, load_adapter(stage, name).sniffs) for name in detection_order(stage)]


@cache
def _built_in_names(stage: str) -> frozenset[str]:
    spec = importlib.util.find_spec(f"bibld.{stage}")
    locations = list(spec.submodule_search_locations or ()) if spec else []
    names = {info.name for info in pkgutil.iter_modules(locations) if not info.name.startswith("_")}
    return frozenset(names - _RESERVED.get(stage, set()))


@cache
def _plugins(stage: str) -> tuple[dict[str, ModuleType], tuple[BrokenPlugin, ...]]:
    """Load the plug-ins of a stage: those that can be used by name, and those that cannot, which are reported."""
    usable: dict[str, ModuleType] = {}
    broken = []
    points = _entry_points()[stage]
    for point in sorted(points, key=lambda point: (point.name, point.dist.name if point.dist else "", point.value)):
        try:
            fault = _fault_of_name(stage, point.name, usable)
            if not fault:
                module = point.load()
                fault = fault_of_module(stage, module)
        except (Exception, SystemExit) as error:  # noqa: BLE001
            fault = f"it cannot be imported ({_cause(error)}); repair or uninstall the distribution"
        if not fault:
            usable[point.name] = module
            continue
        distribution = f"{point.dist.name} {point.dist.version}" if point.dist else "distribution unknown"
        broken.append(BrokenPlugin(stage, point.name, point.value, distribution, fault))
        _report_once(str(broken[-1]))
    return usable, tuple(broken)


@cache
def _entry_points() -> dict[str, list[importlib.metadata.EntryPoint]]:
    """Return the entry points of all distributions by stage; to look for those of one stage takes as long."""
    points = importlib.metadata.entry_points()
    return {stage: list(points.select(group=f"bibld.{stage}")) for stage in STAGES}


def _fault_of_name(stage: str, name: str, usable: dict[str, ModuleType]) -> str:
    if name in _built_in_names(stage):
        return "a built-in adapter has this name; choose another one in the entry point"
    if name in usable:
        return "another plug-in has this name; uninstall one of the two"
    if stage == "dedup.score" and name in adapter_names("dedup.block"):
        return "a blocker has this name, and both would share one table; choose another one in the entry point"
    if not _NAME.fullmatch(name) or name in _RESERVED.get(stage, ()):
        return "this name is reserved, or not made of letters, digits, - and _; choose another one in the entry point"
    return ""


def fault_of_module(stage: str, module: object) -> str:
    """Compare an adapter with the protocol of its stage; returns the first fault, empty if there is none."""
    if not isinstance(module, ModuleType):
        return f"its entry point must name a module or a package, not {type(module).__name__} {module!r:.80}"
    without = ("keys",) if stage == "dedup.block" and hasattr(module, "join") else ()
    protocol = NetworkHarvester if stage == "harvest" and hasattr(module, "fetch") else EXTENSION_POINTS[stage]
    fault = _fault_of_members(module, module.__name__, protocol, without)
    if stage == "read" and not fault:
        fault = _fault_of_members(module.CarrierType, f"{module.__name__}.CarrierType", Carrier)
    if fault:
        return fault
    settings = module.Settings
    if not (isinstance(settings, type) and issubclass(settings, msgspec.Struct)):
        return f"{module.__name__}.Settings must be a msgspec.Struct"
    required = [field.name for field in msgspec.structs.fields(settings) if field.required]
    if required and stage not in SETTINGS_MAY_BE_REQUIRED:
        return f"{module.__name__}.Settings must have defaults; {', '.join(required)} has none"
    if stage == "dedup.score" and "same" not in settings.__struct_fields__:
        return f"{module.__name__}.Settings must have same, the score from which two records are the same"
    return ""


def _fault_of_members(thing: object, name: str, protocol: type, without: Sequence[str] = ()) -> str:
    """Compare the members of a module or class with those that a protocol declares itself, but for some."""
    for member in [*vars(protocol).get("__annotations__", ()), *vars(protocol)]:
        if member.startswith("_") or member in without:
            continue
        if not hasattr(thing, member):
            return f"{name} has no {member}; see {protocol.__name__} in bibld.protocols"
        declared = vars(protocol).get(member)
        if not inspect.isfunction(declared):
            continue
        is_method = isinstance(thing, type)
        parameters = list(inspect.signature(declared).parameters.values())[0 if is_method else 1 :]
        required = [parameter for parameter in parameters if parameter.default is parameter.empty]
        try:
            inspect.signature(getattr(thing, member)).bind(*required)
        except (TypeError, ValueError):
            names = ", ".join(parameter.name for parameter in parameters)
            return f"{name}.{member} must be a function of ({names}); see {protocol.__name__} in bibld.protocols"
    return ""


def _cause(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


@cache
def _report_once(message: str) -> None:
    """Write a line to standard error; worker processes write nothing, since their parent has done so."""
    # A worker process has imported multiprocessing, which takes the others some milliseconds.
    multiprocessing = sys.modules.get("multiprocessing")
    if multiprocessing is None or multiprocessing.parent_process() is None:
        _LOG.warning("bibld: %s", message)
