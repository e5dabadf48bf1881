#!/bin/sh
# Build a Debian package of a checkout: sh docs/how-to/deployment/build-deb.sh FOLDER
# It needs python3-venv and the network, and must be built on the release of Debian that it is for: it contains bibld
# with its dependencies in /opt/bibld, for the Python of this machine.
set -eu
checkout=$(cd "$(dirname "$0")/../../.." && pwd)
out=$(mkdir -p "${1:?name a folder for the package}" && cd "$1" && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

/usr/bin/python3 -m venv "$root/opt/bibld"
"$root/opt/bibld/bin/pip" install --quiet --no-compile "$checkout"
"$root/opt/bibld/bin/pip" uninstall --quiet --yes setuptools pip
version=$("$root/opt/bibld/bin/bibld" --version | sed 's/.* //')
python=$("$root/opt/bibld/bin/python" -c 'import sys; print("3.%d" % sys.version_info[1])')
next=$("$root/opt/bibld/bin/python" -c 'import sys; print("3.%d" % (sys.version_info[1] + 1))')

# The command is the only script that is kept: the others would contain the name of the temporary folder.
find "$root/opt/bibld/bin" -type f ! -name bibld -delete
sed -i "1s|.*|#!/opt/bibld/bin/python3|" "$root/opt/bibld/bin/bibld"
find "$root" -name __pycache__ -prune -exec rm -rf {} +
sed -i '/^command = /d' "$root/opt/bibld/pyvenv.cfg"
mkdir -p "$root/usr/bin" "$root/lib/systemd/system" "$root/usr/share/doc/bibld" "$root/DEBIAN"
ln -s /opt/bibld/bin/bibld "$root/usr/bin/bibld"
cp "$checkout/docs/how-to/deployment/bibld.socket" "$checkout/docs/how-to/deployment/bibld-nightly.timer" \
  "$root/lib/systemd/system/"
for unit in bibld.service bibld-nightly.service; do
  sed 's|/srv/bibld/.venv/bin/bibld|/usr/bin/bibld|' "$checkout/docs/how-to/deployment/$unit" \
    > "$root/lib/systemd/system/$unit"
done
cp "$checkout/LICENSE" "$root/usr/share/doc/bibld/copyright"

cat > "$root/DEBIAN/control" <<EOF
Package: bibld
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: The bibld developers <bibld@example.org>
Installed-Size: $(du -sk "$root/opt" | cut -f1)
Depends: python3 (>= $python), python3 (<< $next), adduser
Recommends: yaz, openssh-client, libarchive-tools
Section: science
Priority: optional
Description: catalogues of libraries to Linked Open Data
 Converts MARC 21 and RUSMARC to MODS, finds and merges duplicates, and
 publishes the result as RDF, with a SPARQL endpoint and pages for people.
EOF
cat > "$root/DEBIAN/postinst" <<'EOF'
#!/bin/sh
set -e
adduser --system --group --home /srv/bibld --shell /usr/sbin/nologin bibld > /dev/null
[ ! -d /run/systemd/system ] || systemctl daemon-reload
EOF
chmod 755 "$root" "$root/DEBIAN/postinst"
dpkg-deb --root-owner-group -Zxz -z1 --build "$root" "$out"
