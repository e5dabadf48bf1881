"""The how-to about Python and the notebook: every program runs, every output is current."""

import contextlib
import io
import shutil

import pytest

import bibld
from tests.docs.pages import DOCS, blocks, generator, text_of

PROGRAMS = list(blocks(DOCS / "how-to" / "use-bibld-from-python.md", "python"))
NOTEBOOKS = sorted(DOCS.rglob("*.ipynb"))


@pytest.fixture(scope="module")
def folder(workspace, tmp_path_factory):
    """A copy of the sample after a run."""
    folder = tmp_path_factory.mktemp("how-to") / "sample"
    shutil.copytree(workspace.path.parent, folder)
    return folder


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_every_program_of_the_how_to_runs(number, folder, monkeypatch):
    monkeypatch.chdir(folder)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(PROGRAMS[number], f"program {number + 1}", "exec"), {})
    assert out.getvalue().strip()


def test_every_public_name_is_in_the_reference():
    page = text_of(DOCS / "reference" / "python.md")
    assert [name for name in bibld.__all__ if f"### {name}\n" not in page and f"`{name}`" not in page] == []


def outputs(notebook) -> list[tuple[str, str]]:
    """What each cell printed and returned; what it printed may come in any number of parts."""
    found = []
    for cell in notebook.cells:
        parts = cell.get("outputs", [])
        assert all(part.output_type != "error" for part in parts), parts
        found.append((cell.source, "".join(part.get("text") or part.data["text/plain"] for part in parts)))
    return found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
@pytest.mark.filterwarnings("default")
def test_every_notebook_gives_the_outputs_that_are_stored(path):
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    stored = nbformat.read(path, as_version=4)
    assert outputs(generator().execute_notebook(path)) == outputs(stored), "run python docs/generate.py --notebooks"
