"""A real server: zebra from Debian, with SRU and Z39.50 on one port of the loopback, loaded with given records."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.ports import free_port, wait_for_server

MISSING = next((f"{name} is not installed" for name in ("zebraidx", "zebrasrv") if not shutil.which(name)), "")

_ZEBRA = """\
profilePath: .:/usr/share/idzebra-2.0/tab
modulePath: {modules}
attset: bib1.att
index: icu.idx
encoding: utf-8
register: reg:4G
lockDir: lock
"""
_DOM = """\
<dom><extract name="index"><xslt stylesheet="index.xsl"/></extract>
<retrieve name="marcxml"><xslt stylesheet="identity.xsl"/></retrieve>
<input syntax="marc"><marc inputcharset="{charset}"/></input></dom>
"""
_IDENTITY = """\
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="@*|node()">
<xsl:copy><xsl:apply-templates select="@*|node()"/></xsl:copy></xsl:template></xsl:stylesheet>
"""
_INDEX = """\
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
 xmlns:z="http://indexdata.com/zebra-2.0" xmlns:m="http://www.loc.gov/MARC21/slim">
<xsl:template match="text()"/><xsl:template match="/"><xsl:apply-templates select="//m:record[1]"/></xsl:template>
<xsl:template match="m:record"><z:record z:id="{normalize-space(m:controlfield[@tag='001'])}">
 <z:index name="control:0"><xsl:value-of select="normalize-space(m:controlfield[@tag='001'])"/></z:index>
 <xsl:for-each select="m:datafield[@tag='245' or (@tag='200' and not(../m:datafield[@tag='245']))]/m:subfield">
  <z:index name="title:w title:p any:w"><xsl:value-of select="."/></z:index></xsl:for-each>
 <z:index name="date:0 date:n"><xsl:value-of select="substring(m:controlfield[@tag='008'],8,4)"/></z:index>
</z:record></xsl:template></xsl:stylesheet>
"""
_CQL = """\
set.cql = info:srw/cql-context-set/1/cql-v1.2
set.rec = info:srw/cql-context-set/2/rec-1.1
set.dc = info:srw/cql-context-set/1/dc-v1.1
set = info:srw/cql-context-set/1/dc-v1.1
index.cql.serverChoice = 1=any
index.cql.allRecords = 1=_ALLRECORDS 2=103
index.rec.id = 1=control
index.dc.title = 1=title
index.dc.date = 1=date 4=109
relation.eq = 2=3
relation.scr = 2=3
relation.< = 2=1
relation.le = 2=2
relation.> = 2=5
relation.ge = 2=4
relation.* = 2=3
position.* = 3=3
structure.* = 4=1
truncation.right = 5=1
truncation.* = 5=100
"""
_SERVER = """\
<yazgfs><listen id="l">tcp:127.0.0.1:{port}</listen><server id="main" listenref="l">
<directory>.</directory><config>zebra.cfg</config><cql2rpn>cql.properties</cql2rpn>
<maximumrecordsize>67108864</maximumrecordsize>
<retrievalinfo>
<retrieval syntax="usmarc"><backend syntax="xml" name="marcxml">
 <marc inputformat="xml" outputformat="marc" outputcharset="utf-8"/></backend></retrieval>
<retrieval syntax="usmarc" name="F8"><backend syntax="xml" name="marcxml">
 <marc inputformat="xml" outputformat="marc" outputcharset="marc-8"/></backend></retrieval>
<retrieval syntax="unimarc"><backend syntax="xml" name="marcxml">
 <marc inputformat="xml" outputformat="marc" outputcharset="utf-8"/></backend></retrieval>
<retrieval syntax="xml" name="marcxml" identifier="info:srw/schema/1/marcxml-v1.1">
 <backend syntax="xml" name="marcxml"/></retrieval>
</retrievalinfo></server></yazgfs>
"""


@contextmanager
def zebra(folder: Path, bases: Mapping[str, tuple[Path, str]]) -> Iterator[int]:
    """Index files (by base: path, and charset utf-8 or marc-8) and serve them; yields the port."""
    modules = next(Path("/usr/lib").glob("*/idzebra-2.0/modules"))
    (folder / "zebra.cfg").write_text(_ZEBRA.format(modules=modules))
    for charset in ("utf-8", "marc-8"):
        (folder / f"dom-{charset}.xml").write_text(_DOM.format(charset=charset))
    for name, text in (("identity.xsl", _IDENTITY), ("index.xsl", _INDEX), ("cql.properties", _CQL)):
        (folder / name).write_text(text)
    for name in ("reg", "lock"):
        (folder / name).mkdir()

    def index(*words: str) -> None:
        subprocess.run(
            ["zebraidx", "-c", "zebra.cfg", *words], cwd=folder, check=True, capture_output=True, timeout=600
        )

    index("init")
    for base, (path, charset) in bases.items():
        index("-t", f"dom.dom-{charset}.xml", "-d", base, "update", str(path))
    index("commit")
    port = free_port()
    (folder / "server.xml").write_text(_SERVER.format(port=port))
    command = ["zebrasrv", "-f", "server.xml"]
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, env=os.environ)
    try:
        wait_for_server(port, process)
        yield port
    finally:
        process.terminate()
        process.wait(timeout=600)
