"""Adapters are found, compared with their protocol, and asked in order; a broken plug-in costs one line."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from bibld.errors import ConfigError
from bibld.protocols import ReadableStore, Store, adapters

READER = """
import msgspec
class Settings(msgspec.Struct, frozen=True): pass
class CarrierType(msgspec.Struct, frozen=True):
    declared = charset = None
    def raws(self, stream): return iter(())
    def parse(self, raw): raise KeyError
def sniffs(head): return head.startswith(b"ACME")
def examine(stream, name, source, settings): return CarrierType()
"""

BROKEN = {
    "missing": ("import a_module_that_nobody_has", "it cannot be imported (ModuleNotFoundError: No module named"),
    "exits": ("raise SystemExit(3)", "it cannot be imported (SystemExit: 3)"),
    "no_settings": (READER.replace("Settings(", "Choices("), "acme.no_settings has no Settings"),
    "no_function": (READER.replace("def sniffs", "def smells"), "acme.no_function has no sniffs"),
    "few_arguments": (
        READER.replace("(stream, ", "("),
        "examine must be a function of (stream, name, source, settings)",
    ),
    "no_carrier": (READER.replace("def parse", "def pass_over"), "acme.no_carrier.CarrierType has no parse"),
    "plain_settings": (READER.replace("Settings(msgspec.Struct, frozen=True)", "Settings"), "must be a msgspec.Struct"),
    "needs_settings": (READER.replace(": pass", ": path: str", 1), "Settings must have defaults; path has none"),
    "iso2709": (READER, "a built-in adapter has this name"),
    "auto": (READER, "this name is reserved"),
}


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Write a distribution ``acme`` with modules, and entry points of ``bibld.read`` to them (or to what is named)."""

    def install(modules: dict[str, str], points: dict[str, str] | None = None) -> Path:
        package = tmp_path / "site" / "acme"
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        for name, text in modules.items():
            (package / f"{name}.py").write_text(text, encoding="utf-8")
        info = tmp_path / "site" / "acme-1.2.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.2\n", encoding="utf-8")
        targets = {name: f"acme.{name}" for name in modules} | (points or {})
        lines = [f"{name} = {target}" for name, target in targets.items()]
        (info / "entry_points.txt").write_text("\n".join(["[bibld.read]", *lines]), encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path / "site")
        clear_caches()
        return tmp_path / "site"

    yield install
    monkeypatch.undo()
    clear_caches()
    for name in [name for name in sys.modules if name.partition(".")[0] == "acme"]:
        del sys.modules[name]


def clear_caches() -> None:
    importlib.invalidate_caches()
    for function in vars(adapters).values():
        if hasattr(function, "cache_clear"):
            function.cache_clear()


@pytest.mark.parametrize("stage", adapters.STAGES)
def test_every_built_in_adapter_keeps_its_protocol(stage):
    names = adapters.adapter_names(stage)
    assert names
    for name in names:
        assert adapters.fault_of_module(stage, adapters.load_adapter(stage, name)) == ""


def test_the_built_in_store_keeps_its_protocol(tmp_path):
    backend = adapters.load_adapter("store", "oxigraph")
    store = backend.open_store(tmp_path / "store", backend.Settings())
    store.backup(tmp_path / "copy")
    copy = backend.open_copy(tmp_path / "copy", backend.Settings())
    for opened, protocol in ((store, Store), (copy, ReadableStore)):
        members = [name for name in dir(protocol) if not name.startswith("_")]
        assert [name for name in members if not callable(getattr(opened, name, None))] == []
        opened.close()


def test_a_plugin_is_a_reader_like_any_other(install):
    install({"acmefile": READER})
    assert "acmefile" in adapters.adapter_names("read")
    assert adapters.load_adapter("read", "acmefile").__name__ == "acme.acmefile"
    assert adapters.detect_adapter("read", b"ACME 1") == "acmefile"
    assert adapters.broken_plugins() == []


def test_a_package_may_be_an_adapter(install):
    install({}, {"acmefile": "acme"})
    (broken,) = adapters.broken_plugins()
    assert broken.cause == "acme has no Settings; see Reader in bibld.protocols"


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_plugin_is_reported_once_and_left_out(name, install, caplog):
    text, cause = BROKEN[name]
    install({name: text, "good": READER})
    (broken,) = adapters.broken_plugins()
    assert cause in broken.cause
    adapters.broken_plugins()
    names = adapters.adapter_names("read")
    assert "good" in names
    assert names.count("iso2709") == 1
    assert "auto" not in names
    (line,) = (record.getMessage() for record in caplog.records)
    assert line == f"bibld: {broken}"
    assert f'plug-in "{name}" of bibld.read (acme 1.2: acme.{name}) skipped: ' in line
    if name != "iso2709":
        with pytest.raises(ConfigError, match="skipped"):
            adapters.load_adapter("read", name)


def test_an_entry_point_that_names_a_class_is_broken(install):
    install({"inner": READER}, {"other": "acme.inner:Settings"})
    (broken,) = adapters.broken_plugins()
    assert broken.name == "other"
    assert broken.cause.startswith("its entry point must name a module or a package, not ")


def test_a_higher_priority_is_asked_first(install):
    install(
        {
            "b_second": READER,
            "a_first": READER + "PRIORITY = 1\n",
            "c_last": READER + "PRIORITY = -1\n",
        }
    )
    order = adapters.detection_order("read")
    built_in = [name for name in order if name not in ("a_first", "b_second", "c_last", "dublincore")]
    assert order == ("a_first", *built_in, "b_second", "dublincore", "c_last")
    assert built_in == sorted(built_in)
    assert adapters.detect_adapter("read", b"ACME 1") == "a_first"
    assert adapters.detection_order("crosswalk")[-2:] == ("marc21", "unimarc")


def test_a_reader_whose_sniffs_fails_is_not_asked(install, caplog):
    install({"failing": READER.replace("return head.", "return head.no_such_") + "PRIORITY = 9\n", "good": READER})
    for _ in range(3):
        assert adapters.detect_adapter("read", b"ACME 1") == "good"
    (line,) = (record.getMessage() for record in caplog.records)
    assert line.startswith('bibld: "failing" of bibld.read recognised nothing: its sniffs() raised AttributeError: ')


@pytest.mark.parametrize("words", [("adapters",), ("sample", "folder"), ("read", "records.mrk")])
def test_every_command_works_beside_broken_plugins_and_reports_each_once(words, install, tmp_path):
    site = install({name: text for name, (text, _) in BROKEN.items()})
    (tmp_path / "records.mrk").write_text("=LDR  00000nam a2200000 i 4500\n=001  1\n", encoding="utf-8")
    code = f"import sys; sys.path[:0] = [{str(site)!r}]; from bibld.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if "plug-in" in line]
    assert len(lines) == len(BROKEN)
    assert "Traceback" not in done.stderr
    if words == ("adapters",):
        assert done.stdout.count("broken: ") == len(BROKEN)
