"""Makes what a package of bibld contains besides its sources: editor of queries, tables of towns and of headings.

Hatchling calls this when it builds a wheel, so that ``pip install .`` brings maps and editor; the Makefile calls it for
a checkout: ``python hatch_build.py``. What cannot be made, because npm or the network is missing, is left out with a
message; what is current is not made again.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ModuleNotFoundError:  # called by the Makefile
    BuildHookInterface = object


class AdditionsHook(BuildHookInterface):  # type: ignore[misc]
    """The hook of Hatchling; an editable installation uses what the checkout has."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the additions before a wheel is built."""
        if self.target_name == "wheel" and version == "standard":
            make_additions(Path(self.root))


def make_additions(root: Path) -> None:
    """Make what is missing or older than what it is made from."""
    text, serve = root / "bibld" / "text", root / "bibld" / "serve"
    for result, sources, make, without in (
        (serve / "static" / "editor.js", serve / "editor", _make_editor, "the query page has a plain text field"),
        (text / "geography" / "towns.db", text / "geography", _make_geography, "there are no maps"),
        (text / "headings" / "lcsh.db", text / "headings", _make_headings, "headings without a number have no link"),
    ):
        if not _is_current(result, sources):
            _attempt(make, root, f"{result.name} cannot be made; {without}")


def _is_current(result: Path, sources: Path) -> bool:
    made_from = [each for each in sources.iterdir() if each.suffix in (".py", ".js", ".mjs", ".json", ".txt")]
    made_from = [each for each in made_from if each.name != "land.json" and not each.name.endswith(".licences.txt")]
    return result.exists() and result.stat().st_mtime >= max(each.stat().st_mtime for each in made_from)


def _attempt(make: Callable[[Path], None], root: Path, failure: str) -> None:
    try:
        make(root)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"{failure}: {error}", file=sys.stderr)


def _make_editor(root: Path) -> None:
    folder = root / "build" / "editor"
    shutil.copytree(root / "bibld" / "serve" / "editor", folder, dirs_exist_ok=True)
    _install_from_npm(folder)
    _run(["node", "build.mjs", str(root / "bibld" / "serve" / "static")], folder)


def _make_geography(root: Path) -> None:
    sources, folder = root / "bibld" / "text" / "geography", root / "build" / "geography"
    _download(sources, folder)
    for file in sources.glob("package*.json"):
        shutil.copy(file, folder)
    _attempt(lambda _: _install_from_npm(folder), root, "maps have no countries")
    _run([sys.executable, "-m", "bibld.text.geography.build", str(folder)], root)


def _make_headings(root: Path) -> None:
    folder = root / "build" / "headings"
    _download(root / "bibld" / "text" / "headings", folder)
    _run([sys.executable, "-m", "bibld.text.headings.build", str(folder)], root)


def _download(sources: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for wheel in folder.glob("*.whl"):
        wheel.unlink()
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    _run([*pip, "--dest", str(folder), "--requirement", str(sources / "requirements.txt")], folder)


def _install_from_npm(folder: Path) -> None:
    _run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"], folder)


def _run(command: list[str], folder: Path) -> None:
    search_path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    subprocess.run(command, cwd=folder, check=True, env=os.environ | {"PYTHONPATH": search_path})


if __name__ == "__main__":
    make_additions(Path(__file__).parent)
