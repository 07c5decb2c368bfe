#!/usr/bin/env bash
# Installs the MCP conformance suite and a recent Node.js, once, into a cache outside the checkout, and prints the folder.
# In it, ./node is Node.js, and node_modules has the suite.
#
#   e2e/install-conformance.sh
#
# ALOUD_E2E_CACHE overrides ~/.cache/aloud-e2e.
set -euo pipefail

version=0.2.0-alpha.12
node=22
cache=${ALOUD_E2E_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/aloud-e2e}
home=$cache/conformance-$version

say() { printf 'install-conformance: %s\n' "$*" >&2; }

if [ -x "$home/node" ]; then
  echo "$home"
  exit
fi
command -v npm >/dev/null || { say '"npm" is missing: install Node.js 20 or newer with npm'; exit 1; }

case $(uname -m) in
  x86_64) cpu=x64 ;;
  *) cpu=arm64 ;;
esac
platform=$(uname -s | tr '[:upper:]' '[:lower:]')-$cpu

mkdir -p "$cache"
work=$(mktemp -d "$cache/conformance.XXXXXX")
trap 'rm -rf "$work"' EXIT

say "installing the conformance suite $version and Node.js $node from npm"
npm install --prefix "$work" --no-save --no-package-lock --no-audit --no-fund --loglevel=error \
  "@modelcontextprotocol/conformance@$version" "node-$platform@$node" >&2
ln -s "node_modules/node-$platform/bin/node" "$work/node"

# The servers of the suite listen on every interface. Loaded with node -r, this file limits them to this machine.
cat >"$work/loopback.cjs" <<'JS'
const net = require('node:net');
const listen = net.Server.prototype._listen2; // all ways to listen lead here, at once
net.Server.prototype._listen2 = function (address, port, family, ...rest) {
  if (address === null && port >= 0) [address, family] = ['127.0.0.1', 4];
  return listen.call(this, address, port, family, ...rest);
};
JS

# The first installation to finish moves its folder into place. A second one keeps it.
[ -e "$home" ] || mv "$work" "$home"
trap - EXIT
rm -rf "$work"
say "installed $home"
echo "$home"
