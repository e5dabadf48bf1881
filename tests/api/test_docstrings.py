"""The examples in the docstrings of everything public run as they are, and none is missing."""

import doctest
import inspect
import shutil

import pytest

import bibld

WITH_METHODS = (
    bibld.Converter,
    bibld.DataField,
    bibld.Links,
    bibld.MarcRecord,
    bibld.Record,
    bibld.RecordId,
    bibld.Review,
    bibld.ReviewSession,
    bibld.Table,
    bibld.Workspace,
)
OF_SEQUENCES = ("count", "index")


def documented():
    """Yield the names and objects that need an example: public functions, and the public methods of some classes."""
    for name in bibld.__all__:
        if inspect.isfunction(getattr(bibld, name)):
            yield name, getattr(bibld, name)
    for class_ in WITH_METHODS:
        for name, member in inspect.getmembers(class_, callable):
            if not name.startswith("_") and not inspect.isclass(member) and name not in OF_SEQUENCES:
                yield f"{class_.__name__}.{name}", member


CASES = [pytest.param(member, id=name) for name, member in documented()]


@pytest.mark.parametrize("member", [*CASES, pytest.param(bibld.Workspace, id="Workspace")])
def test_the_example_of_a_docstring_runs(member, workspace, tmp_path, monkeypatch):
    """In a copy of the sample after a run; ``workspace`` is its workspace."""
    shutil.copytree(workspace.path.parent, tmp_path / "sample")
    monkeypatch.chdir(tmp_path / "sample")
    names = {"bibld": bibld, "workspace": bibld.Workspace("bibld.toml")}
    text = inspect.getdoc(member) or ""
    example = doctest.DocTestParser().get_doctest(text, names, member.__qualname__, None, None)
    assert example.examples, "has no example"
    found: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=found.append)
    assert result.failed == 0, "".join(found)


def test_a_value_is_no_screen_of_text(workspace):
    """The ``repr`` of what functions return fits into a few lines of a notebook."""
    left, right = workspace.clusters()[0].records[:2]
    sample = {name: bibld.to_mods(workspace.path.parent / name) for name in ("rsl.mrc", "nlr.iso")}
    found = bibld.find_duplicates({"rsl": sample["rsl.mrc"], "nlr": sample["nlr.iso"]})
    values = [
        next(bibld.read(workspace.path.parent / "rsl.mrc")),
        next(bibld.read(workspace.path.parent / "rsl.mrc")).content,
        next(bibld.to_mods(workspace.path.parent / "rsl.mrc")),
        workspace.record(left),
        workspace.explain(left),
        workspace.explain(left, right),
        workspace.evaluate(workspace.path.parent / "gold_pairs.csv"),
        workspace.stats(),
        workspace.check(),
        workspace.check_sources(),
        workspace.review.questions()[0],
        workspace.search("Анна"),
        found[0],
        bibld.merge(found[0]),
    ]
    assert {type(value).__name__: len(repr(value)) for value in values if len(repr(value)) > 250} == {}
