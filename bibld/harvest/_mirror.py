"""Keep the files of a server in the workspace: fetch what changed, and check each file before it replaces the last."""

from __future__ import annotations

import errno
import fnmatch
import hashlib
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from bibld.errors import HarvestError
from bibld.harvest._records import MAX_FILE_BYTES, StoredFile, check_size
from bibld.harvest._visit import Visit
from bibld.protocols import Fetched

_PAGE = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_UNFINISHED = (".part", ".tmp", ".filepart", ".crdownload", ".partial", ".lock", "~")
_ARRIVING = re.compile(r"(.+)\.(?:part|tmp|filepart|crdownload|partial|lock)|\.([^_].*)\.\w{6}", re.IGNORECASE)
"""The name of a file that will have another: the second form is that of rsync. Backups (``~``) keep theirs."""

_PARTS = (".part", ".part.version")
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_MAX_NAME_CHARACTERS = 80


class RemoteFile(msgspec.Struct, frozen=True):
    """A file that a server offers; ``size`` is -1, ``etag`` and ``changed`` are empty, if it does not state them."""

    name: str
    size: int = -1
    etag: str = ""
    changed: str = ""


class Offer(msgspec.Struct, frozen=True):
    """The files that a server offers, and why there may be others, for which nothing is removed."""

    files: tuple[RemoteFile, ...]
    reasons: tuple[str, ...] = ()


class Transfer(msgspec.Struct, frozen=True):
    """How the transfer of a file ended: ``is_unchanged`` if the server states that it has not changed.

    ``md5`` and ``sha256`` are check sums that the server states, in hexadecimal digits; empty if it does not.
    """

    is_unchanged: bool = False
    etag: str = ""
    changed: str = ""
    md5: str = ""
    sha256: str = ""


Transmit = Callable[[RemoteFile, Path, StoredFile | None], Transfer]
"""Writes a file to a path, which may contain its beginning; the stored file is the last version. May raise
``HarvestError``."""


def is_unfinished(name: str) -> bool:
    """Whether a file has the name of one that is still being written."""
    base = name.rpartition("/")[2].lower()
    return base.endswith(_UNFINISHED) or base.startswith(".")


def is_chosen(name: str, patterns: Sequence[str]) -> bool:
    """Whether a file is finished, and the last part of its name matches a pattern."""
    last = name.rpartition("/")[2]
    return bool(last) and not is_unfinished(last) and any(fnmatch.fnmatchcase(last, one) for one in patterns)


def arriving(name: str, patterns: Sequence[str]) -> str:
    """Return why there may soon be another file: this one is being written, and will match; empty if it will not."""
    found = _ARRIVING.fullmatch(name.rpartition("/")[2])
    later = found and (found[1] or found[2])
    if later and any(fnmatch.fnmatchcase(later, pattern) for pattern in patterns):
        return f"{name}: still being written; the next run fetches it"
    return ""


def mirror(visit: Visit, offer: Offer, transmit: Transmit, most: int = MAX_FILE_BYTES) -> Fetched:
    """Fetch the files that changed. The harvest is complete if each file is there as the server has it.

    A file that cannot be fetched, has more than ``most`` bytes, or is a web page, empty or damaged on its way, leaves
    its last version in place. Nothing is removed if there is a reason to doubt the list.
    """
    store, offered = visit.store, offer.files
    if not offered:
        raise HarvestError("; ".join(offer.reasons) or "the server offers no file; nothing was removed")
    visit.progress.stage("harvest", "files", len(offered))
    reasons = list(offer.reasons)
    for remote in offered:
        try:
            change = _fetch(visit, remote, transmit, most)
        except HarvestError as error:
            reasons.append(f"{remote.name}: {str(error).removeprefix(f'{remote.name}: ')}")
        else:
            with store.commit():
                store.count(change)
        visit.progress.advance()
    if not reasons:
        with store.commit():
            store.count("removed", store.files.drop_others({remote.name for remote in offered}))
    files = store.files  # what a killed harvest left is deleted too, but for parts that are to be continued
    found = list(files.folder.iterdir()) if files.folder.is_dir() else []
    files.delete_unnamed(path for path in found if not (reasons and path.name.endswith(_PARTS)))
    if reasons:
        return Fetched("partial" if store.files.all() else "failed", tuple(reasons))
    return Fetched("complete")


def _fetch(visit: Visit, remote: RemoteFile, transmit: Transmit, most: int) -> str:
    """Fetch one file if it changed; return ``new``, ``changed`` or ``unchanged``."""
    files = visit.store.files
    last = files.known(remote.name)
    known = last if last is not None and last.has_all_bytes else None
    if known is not None and not visit.options.full and _is_same(remote, known):
        return "unchanged"
    check_size(remote.size, most)
    folder = files.folder
    key = hashlib.sha256(remote.name.encode()).hexdigest()[:12]
    part = folder / f"{key}.part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        transfer = transmit(remote, part, known)
        if transfer.is_unchanged and known is not None:
            return "unchanged"
        digest = _proven(part, remote, transfer, most)
        path = folder / f"{key}.{_harmless(remote.name)}.{digest[:12]}"
        _sync(part)
        part.replace(path)
        _sync(folder)
    except (HarvestError, OSError) as error:
        cause = error if isinstance(error, OSError) else error.__cause__
        if is_disk_full(cause):
            for ending in _PARTS:
                part.with_suffix(ending).unlink(missing_ok=True)
        if isinstance(error, HarvestError):
            raise
        raise HarvestError(f"cannot be written: {error.strerror or error}; free some space") from error
    etag, changed = transfer.etag or remote.etag, transfer.changed or remote.changed
    with visit.store.commit():
        is_new = files.keep(remote.name, path, etag=etag, changed=changed, sha256=digest)
    if last is not None:
        files.delete_unnamed([last.path])
    return ("new" if known is None else "changed") if is_new else "unchanged"


def is_disk_full(error: BaseException | None) -> bool:
    """Whether an error is that of a full disk, or of a limit for files."""
    return isinstance(error, OSError) and error.errno in _FULL


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _is_same(remote: RemoteFile, known: StoredFile) -> bool:
    """Whether what the list of the server states shows that a file has not changed."""
    if remote.etag:
        return (remote.etag, remote.size) == (known.etag, known.bytes)
    return bool(remote.changed) and (remote.changed, remote.size) == (known.changed, known.bytes)


def _proven(part: Path, remote: RemoteFile, transfer: Transfer, most: int) -> str:
    """Return the check sum of a file that arrived; raises ``HarvestError`` and deletes it if it cannot be right."""
    if part.stat().st_size > most:
        part.unlink()
        check_size(most + 1, most)
    sha256, md5 = hashlib.sha256(), hashlib.md5(usedforsecurity=False)
    size, head = 0, b""
    with part.open("rb") as file:
        while data := file.read(1 << 20):
            head = head or data[:512]
            size += len(data)
            sha256.update(data)
            md5.update(data)
    fault = ""
    if not size:
        fault = "is empty"
    elif remote.size >= 0 and size != remote.size:
        fault = f"{size:,} bytes came of {remote.size:,}; it changed, or was cut off"
    elif transfer.sha256 and transfer.sha256.lower() != sha256.hexdigest():
        fault = "its SHA-256 check sum is wrong; it changed, or was damaged on its way"
    elif transfer.md5 and transfer.md5.lower() != md5.hexdigest():
        fault = "its MD5 check sum is wrong; it changed, or was damaged on its way"
    elif _PAGE.match(head):
        fault = "is a web page, not data"
    if fault:
        part.unlink(missing_ok=True)
        raise HarvestError(f"{fault}; the last version stays")
    return sha256.hexdigest()


def _harmless(name: str) -> str:
    """Return a name for a file on disk: of letters, digits, points and hyphens, the end of the server's name."""
    return re.sub(r"[^A-Za-z0-9.-]+", "_", name).lstrip(".")[-_MAX_NAME_CHARACTERS:] or "file"
