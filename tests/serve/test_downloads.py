"""What is offered for download, in the order in which it is needed."""

import msgspec

from bibld.model.release import FullDumps, PatchDumps, ReleaseFile
from bibld.serve._pages.overview import downloads


def patch(release: int) -> PatchDumps:
    return PatchDumps(release, release - 1, f"added-{release}.nq.gz", f"removed-{release}.nq.gz", 1, 1)


def listed(manifest, full: int, *patches: int) -> list[tuple[str, list[str]]]:
    changes = tuple(map(patch, patches))
    names = ["bibld.nq.gz", "bibld.nt.gz", "void.ttl"]
    names = sorted([*names, *(name for one in changes for name in (one.added, one.removed))])
    made = msgspec.structs.replace(
        manifest,
        number=max((full, *patches)),
        files=tuple(ReleaseFile(name, 1, "", "") for name in names),
        full=FullDumps(full, "2026-01-02T03:04:05Z", ("bibld.nq.gz", "bibld.nt.gz")),
        patches=changes,
    )
    return [(group.caption, [file.name for file in group.files]) for group in downloads(made)]


def test_full_dumps_come_first_then_the_patches_in_the_order_of_releases(site):
    full, changes, about = listed(site.manifest, 8, 9, 10)
    assert full == ("Full dumps of release 8, 2026-01-02", ["bibld.nq.gz", "bibld.nt.gz"])
    assert changes[1] == ["removed-9.nq.gz", "added-9.nq.gz", "removed-10.nq.gz", "added-10.nq.gz"]
    assert about[1] == ["void.ttl"]


def test_a_release_with_full_dumps_of_its_own_leads_there_from_the_one_before(site):
    full, to_full, about = listed(site.manifest, 8, 8)
    assert full[1] == ["bibld.nq.gz", "bibld.nt.gz"]
    assert to_full == ("Changes from release 7 to the full dumps", ["removed-8.nq.gz", "added-8.nq.gz"])
    assert about[1] == ["void.ttl"]


def test_every_file_is_offered_once_even_without_dumps(site):
    (about,) = downloads(site.manifest)
    assert about.files == site.manifest.files
