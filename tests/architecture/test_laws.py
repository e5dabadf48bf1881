"""The laws of the source tree: what may import what, how large files grow, which names are not used.

``known_violations.py`` lists what broke these laws when they were made. It can only shrink: a violation that is not
listed fails, and so does a listed one that no longer exists.
"""

from __future__ import annotations

import ast
import importlib.util
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "bibld"
MODULES = sorted(PACKAGE.rglob("*.py"))

STAGES = ("harvest", "read", "crosswalk", "dedup", "merge", "triplify", "store", "publish", "serve")
# The public API: bibld/__init__.py and the modules directly below bibld/ whose names begin with an underscore.
API = ""
LAYERS = (
    ("errors", "_version"),
    ("text",),
    ("model",),
    ("protocols", "config", "parallel", "progress"),
    ("catalog",),
    ("documents", "search", "worklist"),
    STAGES,
    ("ingest", "link", "validate", "enrich"),
    ("pipeline", "spark"),
    (API,),
    ("cli",),
    ("__main__",),
)
LAYER_OF = {name: number for number, layer in enumerate(LAYERS) for name in layer}

# Modules that may import by a name that is computed, and what they may import so.
DYNAMIC_IMPORTS = {
    "bibld": "the public names are imported on use",
    "bibld.protocols.adapters": "adapters are found by the name of their file or entry point",
    "bibld.dedup.warm_up": "the sources state which modules have kernels to compile",
    "bibld.cli": "each command loads its module when it is called",
}

LONG_FILES = {
    "bibld/protocols/__init__.py": "every extension point on one page",
    "bibld/model/mods.py": "the declarations of a standard's elements",
}
LONGEST_FILE = 500

NO_NAMES = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "managers", "base"}

HEAVY = ("numba", "numpy", "pyarrow", "pyoxigraph", "pyspark", "rdflib", "starlette")

NOT_CHECKED = (
    *("bibld.catalog", "bibld.merge", "bibld.pipeline", "bibld.publish", "bibld.store", "bibld.triplify"),
    *("concurrent.futures.process", "httpx", "multiprocessing"),
)
"""What ``bibld check`` does not need for files on disk, beside what is heavy: it would take longer to start."""

OPTIONAL = {"pyspark": "bibld.spark", "py4j": "bibld.spark", "pyarrow": "bibld.spark"}
"""Packages that only one package of bibld imports, because who does not use it need not install them."""

NOT_OURS = {
    ".git",
    ".venv",
    ".hypothesis",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    "__pycache__",
    "build",
    "dist",
}
PAPERS = ("DESIGN", "CROSSWALK", "DEDUP", "LOD", "MODELS")
PRIVATE = re.compile(rf"\b(?:{'|'.join(PAPERS)})\.md\b|(?<![\w.~}}])/(?:work|root|tmp|home/\w+)/\w")


class Import(NamedTuple):
    """One module of bibld imports another, or a name out of it (``name`` is empty for the module itself)."""

    importer: str
    imported: str
    name: str
    for_types: bool


def load_known_violations() -> ModuleType:
    spec = importlib.util.spec_from_file_location("known_violations", Path(__file__).with_name("known_violations.py"))
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


KNOWN = load_known_violations()


@cache
def tree_of(module: Path) -> tuple[ast.AST, ...]:
    """Return all nodes of a module, the module first."""
    return tuple(ast.walk(ast.parse(module.read_bytes())))


def name_of(module: Path) -> str:
    return ".".join(module.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


NAMES = {name_of(module) for module in MODULES}


def imports(module: Path) -> Iterator[Import]:
    """Yield every import of a module of bibld, wherever it is written in the file."""
    tree = tree_of(module)
    for_types = {
        id(node)
        for block in tree
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.unparse(block.test)
        for statement in block.body
        for node in ast.walk(statement)
    }
    here = name_of(module)
    for node in tree:
        if isinstance(node, ast.Import):
            targets = [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{here}, line {node.lineno}: imports are absolute"
            targets = [(node.module or "", alias.name) for alias in node.names]
        else:
            continue
        for target, name in targets:
            if target.split(".")[0] != "bibld":
                continue
            if f"{target}.{name}" in NAMES:
                yield Import(here, f"{target}.{name}", "", id(node) in for_types)
            else:
                yield Import(here, target, name, id(node) in for_types)


IMPORTS = [found for module in MODULES for found in imports(module)]


def part_of(name: str) -> str:
    """Return the first name below ``bibld``; the public API is the empty string."""
    part = name.split(".")[1] if "." in name else API
    return API if part.startswith("_") and part not in ("__main__", "_version") else part


def is_lawful(importer: str, imported: str) -> bool:
    here, there = part_of(importer), part_of(imported)
    if here in STAGES and there in STAGES:
        return here == there
    return LAYER_OF[there] <= LAYER_OF[here]


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def reaches_into(importer: str, imported: str) -> bool:
    """Return whether a private module or package is imported from outside the package that contains it."""
    steps = imported.split(".")
    owners = [".".join(steps[:depth]) for depth, step in enumerate(steps) if is_private(step)]
    return any(importer != owner and not importer.startswith(f"{owner}.") for owner in owners)


def find_cycles(graph: Mapping[str, set[str]]) -> list[set[str]]:
    """Return the groups of nodes that can reach each other."""
    reached: dict[str, set[str]] = {}
    for start in graph:
        seen: set[str] = set()
        queue = list(graph[start])
        while queue:
            node = queue.pop()
            if node not in seen:
                seen.add(node)
                queue.extend(graph.get(node, ()))
        reached[start] = seen
    groups = [{start} | {node for node in seen if start in reached.get(node, ())} for start, seen in reached.items()]
    return [group for number, group in enumerate(groups) if len(group) > 1 and group not in groups[:number]]


def graph_of(package: str, found: Iterable[Import]) -> dict[str, set[str]]:
    """Return which modules and packages directly inside a package import which others of it.

    The package's own ``__init__.py`` is a node too, and imports for type checking count.
    """
    graph: dict[str, set[str]] = {}

    def child(name: str) -> str:
        if name == package:
            return "__init__"
        return name.removeprefix(f"{package}.").split(".")[0] if name.startswith(f"{package}.") else ""

    for one in found:
        here, there = child(one.importer), child(one.imported)
        if here and there and here != there:
            graph.setdefault(here, set()).add(there)
            graph.setdefault(there, set())
    return graph


MAX_ENTRIES = 32
"""Files and folders directly in ``bibld/``: the listing is the first page of the documentation."""


def test_the_listing_of_the_package_is_short_and_explained() -> None:
    run = subprocess.run(["git", "ls-files", "bibld"], cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode:
        pytest.skip("not a checkout of git")
    parts = [line.split("/") for line in run.stdout.splitlines()]
    entries = {f"{steps[1]}/" if len(steps) > 2 else steps[1] for steps in parts}
    assert len(entries) <= MAX_ENTRIES
    rows = re.findall(r"^\| `([^`]+)` \|", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(rows) == sorted(entries)


def test_a_module_defines_each_name_once() -> None:
    found = []
    for module in MODULES:
        names = [
            name
            for node in tree_of(module)[0].body
            for name in (
                [target.id for target in node.targets if isinstance(target, ast.Name)]
                if isinstance(node, ast.Assign)
                else [node.name]
                if isinstance(node, ast.FunctionDef | ast.ClassDef)
                else []
            )
        ]
        found += [f"{name_of(module)}: {name}" for name in set(names) if names.count(name) > 1]
    assert sorted(found) == []


def test_a_class_name_occurs_once() -> None:
    """Apart from ``Settings``, which every adapter has, and the classes that are private to a module."""
    homes: dict[str, list[str]] = {}
    for module in MODULES:
        for node in tree_of(module):
            if isinstance(node, ast.ClassDef) and not is_private(node.name) and node.name != "Settings":
                homes.setdefault(node.name, []).append(name_of(module))
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_imports_run_one_way(module: Path) -> None:
    here = name_of(module)
    assert part_of(here) in LAYER_OF, f"{here} has no place in the order of imports"
    assert [found.imported for found in imports(module) if not is_lawful(here, found.imported)] == []


def test_private_modules_are_imported_only_inside_the_package_that_contains_them() -> None:
    found = {(one.importer, one.imported) for one in IMPORTS if reaches_into(one.importer, one.imported)}
    assert found - KNOWN.PRIVATE_MODULES == set()
    assert KNOWN.PRIVATE_MODULES - found == set(), "no longer needed: delete these entries"


def test_private_names_are_used_only_in_their_module() -> None:
    taken = {f"{one.importer}: {one.imported}.{one.name}" for one in IMPORTS if is_private(one.name)}
    for module in MODULES:
        tree = tree_of(module)
        modules = {
            alias.asname or alias.name
            for node in tree
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "bibld"
            for alias in node.names
            if f"{node.module}.{alias.name}" in NAMES
        }
        taken |= {
            f"{name_of(module)}: {node.value.id}.{node.attr}"
            for node in tree
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
            if node.value.id in modules and is_private(node.attr)
        }
    assert taken == set()


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_optional_packages_are_imported_only_by_what_needs_them(module: Path) -> None:
    here = name_of(module)
    found = set()
    for node in tree_of(module):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").split(".")[0])
    foreign = {
        name for name in found & set(OPTIONAL) if here != OPTIONAL[name] and not here.startswith(f"{OPTIONAL[name]}.")
    }
    assert foreign == set()


def test_there_are_no_cycles_at_any_depth() -> None:
    packages = [name_of(module) for module in MODULES if module.name == "__init__.py"]
    found = {package: cycles for package in packages if (cycles := find_cycles(graph_of(package, IMPORTS)))}
    unknown = [
        (package, sorted(cycle))
        for package, cycles in found.items()
        for cycle in cycles
        if not any(cycle <= known for known in KNOWN.CYCLES.get(package, ()))
    ]
    assert unknown == []
    ended = [
        (package, sorted(known))
        for package, cycles in KNOWN.CYCLES.items()
        for known in cycles
        if not any(cycle <= known for cycle in found.get(package, ()))
    ]
    assert ended == [], "no longer needed: delete these entries"


def test_only_named_modules_import_by_a_computed_name() -> None:
    calls = re.compile(r"\b(?:import_module|__import__|find_spec|exec_module)\s*\(")
    found = {name_of(module) for module in MODULES if calls.search(module.read_text(encoding="utf-8"))}
    assert found - set(DYNAMIC_IMPORTS) - KNOWN.DYNAMIC_IMPORTS == set()
    assert KNOWN.DYNAMIC_IMPORTS - found == set(), "no longer needed: delete these entries"


def test_the_laws_of_imports_forbid_what_they_should() -> None:
    assert not is_lawful("bibld.merge", "bibld.dedup.block._kernels")
    assert not is_lawful("bibld.model.marc", "bibld.protocols")
    assert not is_lawful("bibld.text.scripts", "bibld.model.mods")
    assert not is_lawful("bibld.publish", "bibld.pipeline")
    assert not is_lawful("bibld.pipeline", "bibld")
    assert not is_lawful("bibld._records", "bibld.cli")
    assert is_lawful("bibld.merge", "bibld.text.folding")
    assert is_lawful("bibld._records", "bibld.ingest.load")
    assert is_lawful("bibld.cli.run", "bibld")
    assert reaches_into("bibld.cli.check", "bibld.catalog._database.check")
    assert reaches_into("bibld.crosswalk._marc21.names", "bibld.crosswalk._unimarc._engine")
    assert not reaches_into("bibld.crosswalk._marc21.names", "bibld.crosswalk._dates")
    cycle = [Import("bibld.a._b.c", "bibld.a.d", "", False), Import("bibld.a.d", "bibld.a._b.e", "f", False)]
    assert find_cycles(graph_of("bibld.a", cycle)) == [{"_b", "d"}]
    assert find_cycles(graph_of("bibld.a", [cycle[0], cycle[1]._replace(for_types=True)])) == [{"_b", "d"}]
    assert PRIVATE.search("see " + "LOD" + ".md")
    assert PRIVATE.search('"/' + 'work/main/bibld"')


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_a_module_is_small_documented_and_well_named(module: Path) -> None:
    text = module.read_text(encoding="utf-8")
    path = module.relative_to(ROOT).as_posix()
    steps = {step.strip("_") for step in module.relative_to(PACKAGE).with_suffix("").parts}
    assert not steps & NO_NAMES
    assert len(text.splitlines()) <= LONGEST_FILE or path in LONG_FILES
    tree = ast.parse(text)
    assert ast.get_docstring(tree) or (module.name.startswith("_") and module.name != "__init__.py")


def test_every_exemption_is_still_needed() -> None:
    for path in LONG_FILES:
        assert len((ROOT / path).read_text(encoding="utf-8").splitlines()) > LONGEST_FILE


@pytest.mark.parametrize(
    ("start", "needless"),
    [
        ("import bibld.cli", HEAVY),
        (f"import bibld; bibld.check_sources({str(ROOT / 'sample_data' / 'bibld.toml')!r})", HEAVY + NOT_CHECKED),
    ],
    ids=["help", "check"],
)
def test_a_command_starts_without_what_it_does_not_need(start: str, needless: tuple[str, ...]) -> None:
    code = f"import sys; {start}; print([name for name in {needless} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.stderr == ""
    assert run.stdout == "[]\n"


def test_nothing_names_what_is_not_in_the_tree() -> None:
    """Neither working papers nor paths of the machine that it was written on."""
    found = []
    for path in sorted(ROOT.rglob("*")):
        if not path.is_file() or NOT_OURS & set(path.relative_to(ROOT).parts):
            continue
        text = path.read_bytes().decode("utf-8", "replace")
        found += [f"{path.relative_to(ROOT)}: {match[0]}" for match in PRIVATE.finditer(text)]
    assert found == []
