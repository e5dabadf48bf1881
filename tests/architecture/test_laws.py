"""The laws of the house: what may import what, how large things grow, what is never named."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "bibld"
MODULES = sorted(PACKAGE.rglob("*.py"))

STAGES = ("harvest", "read", "crosswalk", "dedup", "merge", "triplify", "store", "publish", "serve")
LAYERS = (
    ("errors",),
    ("model",),
    ("protocols", "adapters", "config", "progress", "resources", "vocabulary"),
    ("catalog",),
    STAGES,
    ("ingest",),
    ("pipeline", "explain"),
    ("cli",),
    ("__main__",),
)
LAYER_OF = {name: number for number, layer in enumerate(LAYERS) for name in layer}

ALLOWED = {("bibld.errors", "bibld.model.origin"): "a type only: an error says where its record stands"}

LONG_FILES = {
    "bibld/model/mods.py": "the declarations of a standard's elements",
}
LONGEST_FILE, LONGEST_FUNCTION = 400, 50

NO_NAMES = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "managers", "base"}

HEAVY = ("numba", "numpy", "pyoxigraph", "rdflib", "starlette")

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


def name_of(module: Path) -> str:
    return ".".join(module.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports(module: Path) -> Iterator[str]:
    """Every module of bibld that a module imports anywhere in it, for type checking too."""
    for node in ast.walk(ast.parse(module.read_bytes())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(module)}, line {node.lineno}: imports are absolute"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name for name in names if name.startswith("bibld."))


def part_of(name: str) -> str:
    """The first name below ``bibld``."""
    return name.split(".")[1] if "." in name else ""


def is_lawful(importer: str, imported: str) -> bool:
    here, there = part_of(importer), part_of(imported)
    if any(importer == one and imported.startswith(other) for one, other in ALLOWED):
        return True
    if here in STAGES and there in STAGES:
        return here == there
    return LAYER_OF[there] <= LAYER_OF[here]


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_imports_run_one_way(module: Path) -> None:
    here = name_of(module)
    if here == "bibld":
        assert not list(imports(module))
        return
    assert part_of(here) in LAYER_OF, f"{here} has no place in the order of imports"
    known = [name for name in imports(module) if part_of(name) in LAYER_OF]
    assert [name for name in known if not is_lawful(here, name)] == []


def test_the_laws_of_imports_forbid_what_they_should() -> None:
    assert not is_lawful("bibld.merge", "bibld.dedup._cluster.clusters")
    assert not is_lawful("bibld.model.marc", "bibld.protocols")
    assert not is_lawful("bibld.publish", "bibld.pipeline")
    assert is_lawful("bibld.merge", "bibld.model.literals")
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
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    lengths = [(node.name, (node.end_lineno or 0) - node.lineno + 1) for node in functions]
    assert [(name, lines) for name, lines in lengths if lines > LONGEST_FUNCTION] == []


def test_every_exemption_is_still_needed() -> None:
    for path in LONG_FILES:
        assert len((ROOT / path).read_text(encoding="utf-8").splitlines()) > LONGEST_FILE
    for importer, imported in ALLOWED:
        module = ROOT.joinpath(*importer.split(".")).with_suffix(".py")
        assert any(name.startswith(imported) for name in imports(module))


def test_the_command_line_starts_without_what_only_some_stages_need() -> None:
    code = f"import sys, bibld.cli; print([name for name in {HEAVY} if name in sys.modules])"
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
