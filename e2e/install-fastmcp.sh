#!/usr/bin/env bash
# Installs FastMCP for the end-to-end tests, once, into a cache outside the checkout, and prints the path of its Python.
#
#   e2e/install-fastmcp.sh
#
# ALOUD_E2E_CACHE overrides ~/.cache/aloud-e2e.
set -euo pipefail

version=4.2.3
cache=${ALOUD_E2E_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/aloud-e2e}
home=$cache/fastmcp-$version

say() { printf 'install-fastmcp: %s\n' "$*" >&2; }

if [ -x "$home/bin/python" ]; then
  echo "$home/bin/python"
  exit
fi
python3 -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
  { say '"python3" is missing: install Python 3.10 or newer with venv'; exit 1; }

mkdir -p "$cache"
work=$(mktemp -d "$cache/fastmcp.XXXXXX")
trap 'rm -rf "$work"' EXIT

say "installing FastMCP $version from PyPI"
python3 -m venv "$work"
"$work/bin/python" -m pip install --quiet --disable-pip-version-check "fastmcp==$version" >&2

# The first installation to finish moves its folder into place. A second one keeps it.
[ -e "$home" ] || mv "$work" "$home"
trap - EXIT
rm -rf "$work"
say "installed $home"
echo "$home/bin/python"
