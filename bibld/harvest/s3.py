"""Objects in a bucket of S3, or of a server that speaks its protocol (MinIO, Ceph, Yandex Object Storage …)."""

from __future__ import annotations

import hashlib
import hmac
import re
import urllib.parse
from collections.abc import Callable, Generator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import httpx
import msgspec
from lxml import etree

from bibld.errors import HarvestError
from bibld.harvest._http import Transport
from bibld.harvest._mirror import Offer, RemoteFile, Transfer, arriving, is_chosen, mirror
from bibld.harvest._records import MAX_FILE_BYTES, StoredFile
from bibld.harvest._settings import HttpSettings, as_tuple, faults_of_http
from bibld.harvest._store import StoredResponse
from bibld.harvest._visit import Visit
from bibld.model.foreign_xml import parse_xml
from bibld.protocols import Fetched

_MD5 = re.compile(r'"?([0-9a-f]{32})"?')
_EMPTY = hashlib.sha256(b"").hexdigest()


class Settings(HttpSettings, frozen=True, kw_only=True):
    """``url``: the endpoint, such as ``https://storage.example.org``; ``bucket``: its name; ``prefix``: what the keys
    of objects begin with; ``files``: patterns for the last part of keys, such as ``*.mrc.gz``; ``region``: that of the
    bucket; ``user``: the environment variable that contains the access key, ``{ env = "NAME" }``, without which
    requests are not signed; ``password``: the one that contains the secret key; ``max_file_bytes``: the
    most bytes of one object.
    """

    bucket: str
    prefix: str = ""
    files: str | tuple[str, ...] = "*"
    region: str = "us-east-1"
    max_file_bytes: Annotated[int, msgspec.Meta(ge=1)] = MAX_FILE_BYTES


def faults(folder: Path, settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the settings themselves: pairs of key and message."""
    yield from faults_of_http(settings)
    if not re.fullmatch(r"[A-Za-z0-9._-]{3,255}", settings.bucket):
        yield "bucket", f'"{settings.bucket}" is not the name of a bucket'


def probe(visit: Visit, settings: Settings) -> str:
    """List the objects."""
    found = _objects(_transport(visit, settings), settings).files
    return f"{len(found)} objects" + (f", such as {found[0].name}" if found else "")


def fetch(visit: Visit, settings: Settings) -> Fetched:
    """Fetch the objects that changed."""
    visit.begin("full", f"{settings.url} {settings.bucket} {settings.prefix} {as_tuple(settings.files)}")
    transport = _transport(visit, settings)

    def transmit(remote: RemoteFile, path: Path, known: StoredFile | None) -> Transfer:
        response = transport.download(_address(settings, remote.name), path, most=settings.max_file_bytes)
        if response.status not in (200, 206):
            raise HarvestError(f"status {response.status}; was the object deleted meanwhile?")
        if response.headers.get("etag", remote.etag) != remote.etag:
            raise HarvestError("changed since the bucket was listed; the next run fetches it")
        md5 = _MD5.fullmatch(remote.etag)
        is_encrypted = "x-amz-server-side-encryption-aws-kms-key-id" in response.headers
        return Transfer(etag=remote.etag, md5=md5[1] if md5 and not is_encrypted else "")

    return mirror(visit, _objects(transport, settings), transmit, settings.max_file_bytes)


def _transport(visit: Visit, settings: Settings) -> Transport:
    if settings.user is None:
        return visit.transport(settings)
    secret = settings.password.read() if settings.password else ""
    return visit.transport(settings, Signature(settings.user.read(), secret, settings.region))


def _address(settings: Settings, key: str) -> str:
    return f"{settings.url.rstrip('/')}/{settings.bucket}/{urllib.parse.quote(key, safe='/-_.~')}"


def _objects(transport: Transport, settings: Settings) -> Offer:
    """List the objects in the order of their keys; raises ``HarvestError``."""
    found: list[RemoteFile] = []
    reasons: list[str] = []
    token = ""
    while True:
        words = {"list-type": "2", "prefix": settings.prefix, "continuation-token": token}
        stated = {name: value for name, value in words.items() if value}
        query = urllib.parse.urlencode(stated, quote_via=urllib.parse.quote, safe="-_.~")
        listing = _parse(transport.get(f"{settings.url.rstrip('/')}/{settings.bucket}?{query}", _accept))
        for entry in listing.iter("{*}Contents"):
            key, size = entry.findtext("{*}Key") or "", entry.findtext("{*}Size") or ""
            if reason := arriving(key, as_tuple(settings.files)):
                reasons.append(reason)
            elif is_chosen(key, as_tuple(settings.files)):
                etag = entry.findtext("{*}ETag") or ""
                found.append(RemoteFile(key, int(size) if size.isdecimal() else -1, etag))
        last, token = token, listing.findtext("{*}NextContinuationToken") or ""
        if not token or token == last:
            if listing.findtext("{*}IsTruncated") == "true":
                raise HarvestError("the list of the bucket ends early, without a token for the rest")
            return Offer(tuple(sorted(found, key=lambda one: one.name)), tuple(reasons))


def _accept(response: StoredResponse) -> str:
    """Return why an answer is no list of a bucket, in the words of the server if it has some."""
    try:
        root = _parse(response)
    except HarvestError as error:
        return str(error)
    name = etree.QName(root).localname
    if name == "ListBucketResult":
        return ""
    return ": ".join(part for part in (root.findtext("{*}Code"), root.findtext("{*}Message")) if part) or f"<{name}>"


def _parse(response: StoredResponse) -> etree._Element:
    try:
        return parse_xml(response.body)
    except etree.XMLSyntaxError as error:
        raise HarvestError(f"the answer is no XML (status {response.status})") from error


class Signature(httpx.Auth):
    """Signs requests without a body (AWS Signature Version 4)."""

    def __init__(
        self, access: str, secret: str, region: str, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._access = access
        self._secret = secret
        self._region = region
        self._now = now

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Add the headers of the signature."""
        at = f"{self._now():%Y%m%dT%H%M%SZ}"
        scope = f"{at[:8]}/{self._region}/s3/aws4_request"
        host = request.headers["host"]
        request.headers["x-amz-date"] = at
        request.headers["x-amz-content-sha256"] = _EMPTY
        names = "host;x-amz-content-sha256;x-amz-date"
        path, _, query = request.url.raw_path.decode("ascii").partition("?")
        parameters = "&".join(sorted(part if "=" in part else f"{part}=" for part in query.split("&") if part))
        headers = f"host:{host}\nx-amz-content-sha256:{_EMPTY}\nx-amz-date:{at}\n"
        canonical = "\n".join([request.method, path, parameters, headers, names, _EMPTY])
        to_sign = "\n".join(["AWS4-HMAC-SHA256", at, scope, hashlib.sha256(canonical.encode()).hexdigest()])
        key = f"AWS4{self._secret}".encode()
        for part in (at[:8], self._region, "s3", "aws4_request"):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        signature = hmac.new(key, to_sign.encode(), hashlib.sha256).hexdigest()
        credential = f"Credential={self._access}/{scope}, SignedHeaders={names}, Signature={signature}"
        request.headers["authorization"] = f"AWS4-HMAC-SHA256 {credential}"
        yield request
