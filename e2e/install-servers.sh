#!/usr/bin/env bash
# Installs the MCP reference servers for the end-to-end tests, once, into a cache outside the checkout, and prints their
# node_modules folder.
#
#   e2e/install-servers.sh
#
# ALOUD_E2E_CACHE overrides ~/.cache/aloud-e2e.
set -euo pipefail

version=2026.8.31
servers=(everything filesystem memory sequential-thinking)
cache=${ALOUD_E2E_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/aloud-e2e}
home=$cache/npm-$version-${#servers[@]} # another folder for another number of servers

say() { printf 'install-servers: %s\n' "$*" >&2; }

if [ -d "$home/node_modules" ]; then
  echo "$home/node_modules"
  exit
fi
for tool in node npm; do
  command -v "$tool" >/dev/null || { say "\"$tool\" is missing: install Node.js 20 or newer with npm"; exit 1; }
done

mkdir -p "$cache"
work=$(mktemp -d "$cache/npm.XXXXXX")
trap 'rm -rf "$work"' EXIT

say "installing the MCP reference servers $version from npm"
packages=()
for name in "${servers[@]}"; do packages+=("@modelcontextprotocol/server-$name@$version"); done
npm install --prefix "$work" --no-save --no-package-lock --no-audit --no-fund --loglevel=error "${packages[@]}" >&2

# The first installation to finish moves its folder into place. A second one keeps it.
mkdir -p "$home"
[ -e "$home/node_modules" ] || mv "$work/node_modules" "$home/node_modules"
say "installed $home/node_modules"
echo "$home/node_modules"
