"""Rules for servers of files: media types, and the answers of IRIs (303 by the Accept header, 410)."""

from __future__ import annotations

import re

from bibld.serve._forms import MEDIA_TYPES
from bibld.serve._language import PARAMETER
from bibld.serve.ontology import LANGUAGES

_FOLDERS = ("resource", "record", "match", "agent", "concept", "place", "publisher", "series", "work")
_METADATA = ("dataset", "graph", "ontology")
FOLDERS = (*_FOLDERS, *_METADATA)
"""What the paths of IRIs begin with."""

_TYPES = {
    **{form: kind for form, kind in MEDIA_TYPES.items() if "." not in form},
    "nq": "application/n-quads",
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "png": "image/png",
    "ico": "image/svg+xml",
    "txt": "text/plain",
    "xml": "application/xml",
    "gz": "application/gzip",
    "zst": "application/zstd",
}
"""Suffix → media type of all files of a site, but for ``.mods.xml``."""

_NEGOTIATED = ("ttl", "nt", "jsonld", "rdf")


def nginx_rules(mount: str) -> str:
    """Return the rules for nginx, to be included in a ``server`` whose ``root`` is the folder."""
    types = "\n".join(f"    {kind} {suffix};" for suffix, kind in sorted(_TYPES.items(), key=lambda pair: pair[1]))
    choices = "\n".join(
        f'    if ($http_accept ~ "{re.escape(MEDIA_TYPES[form])}") {{ return 303 {mount}doc/$thing.{form}; }}'
        for form in _NEGOTIATED
    )
    languages = "\n".join(
        f'    if ($http_accept_language ~* "^{tag}") {{ set $in ".{tag}"; }}\n'
        f'    if ($cookie_{PARAMETER} = "{tag}") {{ set $in ".{tag}"; }}'
        for tag in LANGUAGES[1:]
    )
    languages += f'\n    if ($cookie_{PARAMETER} = "{LANGUAGES[0]}") {{ set $in ""; }}'
    at = re.escape(mount)
    return f"""# nginx: server {{ root /path/of/this/folder; include /path/of/this/folder/nginx.conf; }}
types {{
{types}
}}
charset utf-8;
charset_types text/html text/plain text/turtle text/css text/javascript;
index index.html;
add_header Access-Control-Allow-Origin * always;
add_header X-Content-Type-Options nosniff always;
location ~ ^{at}(?<thing>(?:{"|".join(FOLDERS)})(?:/[^.]+?)?)/?$ {{
    add_header Vary "Accept, Accept-Language, Cookie" always;
    add_header Access-Control-Allow-Origin * always;
    error_page 410 @gone;
    if (-f $document_root{mount}doc/$thing.gone) {{ return 410; }}
    if (!-f $document_root{mount}doc/$thing.html) {{ return 404; }}
{choices}
    set $in "";
{languages}
    return 303 {mount}doc/$thing$in.html;
}}
location ~ ^{at}doc/.+\\.mods\\.xml$ {{ types {{ }} default_type application/mods+xml; }}
location ~ ^{at}doc/(?<thing>.+?)\\.(?:{"|".join(re.escape(form) for form in MEDIA_TYPES)})$ {{
    error_page 410 @gone_form;
    if (-f $document_root{mount}doc/$thing.gone) {{ return 410; }}
}}
location = /.well-known/void {{ types {{ }} default_type text/turtle; }}
location @gone {{ try_files {mount}doc/$thing.html =410; }}
location @gone_form {{ try_files $uri =410; }}
location ~ \\.(?:gone|htaccess|conf)$ {{ return 404; }}
"""


def apache_rules() -> str:
    """Return the media types for Apache httpd (``.htaccess``); the pages at the IRIs lead to the forms."""
    types = "\n".join(f"AddType {kind} .{suffix}" for suffix, kind in sorted(_TYPES.items()))
    return f"""# Apache httpd: the folder is the DocumentRoot, with AllowOverride FileInfo Indexes
DirectoryIndex index.html
AddDefaultCharset utf-8
{types}
<FilesMatch "\\.mods\\.xml$">
ForceType application/mods+xml
</FilesMatch>
<Files "void">
ForceType text/turtle
</Files>
"""
